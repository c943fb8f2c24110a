import type { Status, UsageInfo } from '../protocol';
import type { ServicePhase } from '../server/service';

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  /** Whether somebody has to do something. */
  readonly attention: boolean;
}

const SERVER: Record<Exclude<ServicePhase, 'running'>, StatusText> = {
  stopped: {
    text: '$(error) Perdure: stopped',
    tooltip: 'The server does not run.',
    attention: true,
  },
  missing: {
    text: '$(cloud-download) Perdure: not installed',
    tooltip: 'The server is installed at the first prompt.',
    attention: false,
  },
  starting: {
    text: '$(loading~spin) Perdure: starting',
    tooltip: 'The server is starting.',
    attention: false,
  },
  waiting: {
    text: '$(loading~spin) Perdure: restarting',
    tooltip: 'The server has crashed and is started again.',
    attention: true,
  },
};

const STATES: Record<Status['state'], { icon: string; words: string }> = {
  none: { icon: '$(circle-outline)', words: 'ready' },
  idle: { icon: '$(check)', words: 'idle' },
  running: { icon: '$(sync~spin)', words: 'running' },
  waitingForApproval: { icon: '$(bell-dot)', words: 'waiting for you' },
  suspended: { icon: '$(debug-pause)', words: 'suspended' },
  blocked: { icon: '$(warning)', words: 'blocked' },
  unavailable: { icon: '$(lock)', words: 'unavailable' },
};

const ATTENTION: readonly Status['state'][] = [
  'waitingForApproval',
  'suspended',
  'blocked',
  'unavailable',
];

/** What the status bar shows for a folder. */
export function statusText(
  phase: ServicePhase,
  status: Status | undefined,
  trusted = true,
): StatusText {
  if (phase !== 'running') {
    return SERVER[phase];
  }
  if (status === undefined) {
    return { text: '$(circle-outline) Perdure', tooltip: 'No folder is open.', attention: false };
  }
  const { icon, words } = STATES[status.state];
  const sums = [`${compact(tokens(status.usage))} tokens`, ...cost(status.usage)];
  const parts = [`${icon} Perdure: ${words}`, status.model.name, ...sums];
  return {
    text: parts.filter((part) => part !== '').join(' · '),
    tooltip: tooltip(status, trusted),
    attention: ATTENTION.includes(status.state),
  };
}

/** A number of tokens in a few characters: 950, 12.3k, 4.1M. */
export function compact(count: number): string {
  if (count < 1000) {
    return String(count);
  }
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value.toFixed(value < 100 ? 1 : 0).replace(/\.0$/, '')}${unit}`;
}

export function tokens(usage: UsageInfo): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

function cost(usage: UsageInfo): string[] {
  return usage.cost === null ? [] : [`$${usage.cost.toFixed(usage.cost < 1 ? 3 : 2)}`];
}

function tooltip(status: Status, trusted: boolean): string {
  const { usage, model } = status;
  const context =
    usage.contextTokens === null
      ? []
      : [`Context: ${compact(usage.contextTokens)}${window(usage.contextWindow)} tokens`];
  const lines = [
    status.blocked?.title ?? status.approval?.title ?? status.operation?.label ?? '',
    `Model: ${model.name} (${model.provider})`,
    `Tokens: ${compact(usage.input)} in, ${compact(usage.output)} out`,
    ...context,
    ...(status.queue.length > 0 ? [`Prompts that wait: ${status.queue.length}`] : []),
    ...(trusted ? [] : ['This workspace is not trusted: the agent only reads.']),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function window(size: number | null): string {
  return size === null || size === 0 ? '' : ` of ${compact(size)}`;
}
