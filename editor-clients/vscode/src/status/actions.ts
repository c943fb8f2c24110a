import type { Status } from '../protocol';
import type { ServicePhase } from '../server/service';
import { legal } from './legal';

/** Something that the user may do now. */
export interface NextAction {
  readonly label: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** The legal next actions, the most likely one first. */
export function nextActions(phase: ServicePhase, status: Status | undefined): NextAction[] {
  if (phase === 'missing') {
    return [
      of('$(comment) Prompt', 'prompt'),
      of('$(cloud-download) Install Server', 'installServer'),
      of('$(output) Show Log', 'showLog'),
    ];
  }
  return [...(phase === 'running' ? ofFolder(status) : []), ...ALWAYS];
}

function ofFolder(status: Status | undefined): NextAction[] {
  const can = legal(status);
  const offered = status?.blocked?.actions ?? status?.failed?.actions ?? [];
  const own = offered.map(({ title, command, arguments: given }) => ({
    label: `$(lightbulb) ${title}`,
    command,
    arguments: given,
  }));
  const explained = own.length > 0;
  const offers: [boolean, string, string][] = [
    [can.approvalPending, '$(bell-dot) Review What Waits for Approval', 'review'],
    [can.canResume && !explained, '$(debug-continue) Resume Session', 'resume'],
    [can.canAbort && !explained, '$(debug-stop) Abort Run', 'abort'],
    [can.canPrompt, '$(comment) Prompt', 'prompt'],
    [can.hasSession, '$(book) Show Transcript', 'showTranscript'],
    [can.hasSession, '$(diff-multiple) Show What Changed', 'showChanges'],
    [can.canUndo, '$(discard) Undo Run', 'undo'],
    [can.canCompact, '$(fold) Compact Session', 'compact'],
    [can.canLeave && can.hasSession, '$(add) New Session', 'newSession'],
    [true, '$(folder-opened) Open Session…', 'openSession'],
  ];
  return [...own, ...offers.filter(([isLegal]) => isLegal).map(([, label, id]) => of(label, id))];
}

const ALWAYS = [
  of('$(debug-restart) Restart Server', 'restartServer'),
  of('$(output) Show Log', 'showLog'),
];

function of(label: string, id: string): NextAction {
  return { label, command: `perdure.editor.${id}` };
}
