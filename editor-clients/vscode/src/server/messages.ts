import { MessageType, type ShowMessageParams } from 'vscode-languageclient/node';

import { tell, type Level } from '../notifications';
import type { Status } from '../protocol';

/** Pass on a message of the server, unless `tellStandstill` has told the same with its actions. */
export function tellMessage({ type, message }: ShowMessageParams, statuses: Status[]): void {
  const told = statuses.some(({ blocked }) => blocked !== null && message.includes(blocked.code));
  if (!told) {
    tell(LEVELS[type], `Perdure: ${message}`);
  }
}

const LEVELS: Record<MessageType, Level> = {
  [MessageType.Error]: 'error',
  [MessageType.Warning]: 'warning',
  [MessageType.Info]: 'information',
  [MessageType.Log]: 'information',
  [MessageType.Debug]: 'information',
};
