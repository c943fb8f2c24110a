import { l10n } from 'vscode';

import type { Elsewhere } from '../folders';
import type { Status, UsageInfo } from '../protocol';
import type { ServicePhase } from '../server/service';

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  /** Whether somebody has to do something. */
  readonly attention: boolean;
}

const ATTENTION: readonly Status['state'][] = [
  'waitingForApproval',
  'suspended',
  'blocked',
  'unavailable',
];

export const ICONS: Record<Status['state'], string> = {
  none: '$(circle-outline)',
  idle: '$(check)',
  running: '$(sync~spin)',
  waitingForApproval: '$(bell-dot)',
  suspended: '$(debug-pause)',
  blocked: '$(warning)',
  unavailable: '$(lock)',
};

/** What else is to be said of a window than how its current folder stands. */
export interface Surroundings {
  readonly trusted: boolean;
  /** The name of the folder, where several are open. */
  readonly name: string | undefined;
  readonly elsewhere: readonly Elsewhere[];
}

/** What the status bar shows for a folder, and of the others those that need somebody. */
export function statusText(
  phase: ServicePhase,
  status: Status | undefined,
  around: Surroundings,
): StatusText {
  if (phase !== 'running') {
    return serverText(phase);
  }
  if (status === undefined) {
    const tooltip = l10n.t('No folder is open.');
    return { text: '$(circle-outline) Perdure', tooltip, attention: false };
  }
  const { state, usage, model } = status;
  const sums = [l10n.t('{0} tokens', compact(tokens(usage))), ...cost(usage)];
  const who = around.name === undefined ? 'Perdure' : `Perdure (${around.name})`;
  const waiting = around.elsewhere.filter(needsSomebody);
  const parts = [
    `${ICONS[state]} ${who}: ${stateWords(state)}`,
    model.name,
    ...sums,
    ...waiting.map((other) => `${ICONS[other.state]} ${other.name}`),
  ];
  return {
    text: parts.filter((part) => part !== '').join(' · '),
    tooltip: tooltip(status, around),
    attention: needsSomebody(status) || waiting.length > 0,
  };
}

/** Whether a folder waits for somebody to do something. */
export function needsSomebody({ state }: { readonly state: Status['state'] }): boolean {
  return ATTENTION.includes(state);
}

/** A folder and its state, in words. */
export function howItIs({ name, state }: Elsewhere): string {
  return `${name}: ${stateWords(state)}`;
}

/** A state in words; one of a later server stays as it is. */
export function stateWords(state: string): string {
  switch (state) {
    case 'none':
      return l10n.t('ready');
    case 'idle':
      return l10n.t('idle');
    case 'running':
      return l10n.t('running');
    case 'waitingForApproval':
      return l10n.t('waiting for you');
    case 'suspended':
      return l10n.t('suspended');
    case 'unfinished':
      return l10n.t('unfinished');
    case 'blocked':
      return l10n.t('blocked');
    case 'unavailable':
      return l10n.t('unavailable');
    case 'corrupt':
      return l10n.t('corrupt');
    default:
      return state;
  }
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

function tooltip(status: Status, { trusted, elsewhere }: Surroundings): string {
  const { usage, model } = status;
  const context =
    usage.contextTokens === null
      ? []
      : [l10n.t('Context: {0} tokens', ofWindow(usage.contextTokens, usage.contextWindow))];
  const lines = [
    status.blocked?.title ?? status.approval?.title ?? status.operation?.label ?? '',
    l10n.t('Model: {0} ({1})', model.name, model.provider),
    l10n.t('Tokens: {0} in, {1} out', compact(usage.input), compact(usage.output)),
    ...context,
    ...(status.queue.length > 0 ? [l10n.t('Prompts that wait: {0}', status.queue.length)] : []),
    ...elsewhere.map(howItIs),
    ...(trusted ? [] : [l10n.t('This workspace is not trusted: the agent only reads.')]),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function ofWindow(count: number, size: number | null): string {
  const used = compact(count);
  return size === null || size === 0 ? used : l10n.t('{0} of {1}', used, compact(size));
}

function serverText(phase: Exclude<ServicePhase, 'running'>): StatusText {
  switch (phase) {
    case 'stopped':
      return {
        text: `$(error) Perdure: ${l10n.t('stopped')}`,
        tooltip: l10n.t('The server does not run.'),
        attention: true,
      };
    case 'missing':
      return {
        text: `$(cloud-download) Perdure: ${l10n.t('not installed')}`,
        tooltip: l10n.t('The server is installed at the first prompt.'),
        attention: false,
      };
    case 'starting':
      return {
        text: `$(loading~spin) Perdure: ${l10n.t('starting')}`,
        tooltip: l10n.t('The server is starting.'),
        attention: false,
      };
    case 'waiting':
      return {
        text: `$(loading~spin) Perdure: ${l10n.t('restarting')}`,
        tooltip: l10n.t('The server has crashed and is started again.'),
        attention: true,
      };
  }
}
