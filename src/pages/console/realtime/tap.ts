/** Selects and shortens the messages that an operator watches. */
import type { TapEvent } from '../../../services/realtime/types.ts';
import type { TappedMessage } from './contract.ts';

/** The maximum length of a payload, in characters. */
const maxPayloadChars = 8192;

/** Returns whether a topic matches. A pattern that ends in `*` matches all topics with that beginning. */
export const matchesTopic = (pattern: string, topic: string): boolean =>
  pattern === '' || (pattern.endsWith('*') ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern);

export function shownMessage(
  { kind, topic, isGuarded, event, payload, sizeBytes, recipients }: TapEvent,
  options: {
    readonly id: number;
    readonly at: number;
    readonly withPayloads: boolean;
    readonly redact: (text: string) => string;
  },
): TappedMessage {
  const { id, at, withPayloads, redact } = options;
  const isHidden = isGuarded && !withPayloads;
  // The payload is masked before it is cut, because a part of a secret wouldn't be recognized.
  const text = isHidden || payload === undefined ? null : redact(payload);
  const isCut = text !== null && text.length > maxPayloadChars;
  return {
    id,
    at,
    kind,
    topic,
    isGuarded,
    event,
    payload: isCut ? text.slice(0, maxPayloadChars) : text,
    isCut,
    sizeBytes,
    recipients,
  };
}
