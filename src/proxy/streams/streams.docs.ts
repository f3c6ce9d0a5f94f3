import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import type { ChannelName } from './channel.contract.js';
import { messageOf } from './stream-schemas.js';

const ABOUT =
  'Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. ' +
  '`status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message.';

/** Of these a client may go on behind the last message. */
const LAST_EVENT_ID = ApiHeader({
  name: 'Last-Event-ID',
  required: false,
  description: 'The `id` of the last message that had one: fills go on behind it.',
});

/** Documents the answer of a stream of these channels, by the schema of one message (contract.md 5.14). */
export function ApiStream(channels: readonly ChannelName[], { isResumable = false } = {}): MethodDecorator {
  const schema = messageOf(channels);
  const answer = ApiOkResponse({ description: ABOUT, content: { 'text/event-stream': { schema } } });
  return isResumable ? applyDecorators(LAST_EVENT_ID, answer) : answer;
}
