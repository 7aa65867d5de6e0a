/** Parses the body of `POST /api/broadcast`. Errors have the same format as upstream's errors. */
import { isRecord } from '../../../base/shared/json.ts';

export interface BatchMessage {
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly private: boolean;
  readonly id: string | undefined;
}

type Faults = Record<string, string[]>;
export type ParsedBatch =
  | { readonly ok: true; readonly messages: readonly BatchMessage[] }
  | { readonly ok: false; readonly errors: Readonly<Record<string, unknown>> };

const blank = "can't be blank";
const invalid = 'is invalid';

export function parseBatch(body: unknown, maxPayloadBytes: number): ParsedBatch {
  const list = isRecord(body) ? body.messages : undefined;
  if (list === undefined || list === null) return { ok: false, errors: { messages: [blank] } };
  if (!Array.isArray(list)) return { ok: false, errors: { messages: [invalid] } };
  const messages: BatchMessage[] = [];
  const faults: Faults[] = [];
  for (const entry of list) {
    const fault: Faults = {};
    const message = isRecord(entry) ? entry : {};
    for (const name of ['topic', 'event'] as const) {
      const value = message[name];
      if (value === undefined || value === null || value === '') fault[name] = [blank];
      else if (typeof value !== 'string') fault[name] = [invalid];
    }
    if (message.payload === undefined || message.payload === null) fault.payload = [blank];
    else if (!isRecord(message.payload)) fault.payload = [invalid];
    else if (Buffer.byteLength(JSON.stringify(message.payload)) > maxPayloadBytes) {
      fault.payload = ['Payload size exceeds tenant limit'];
    }
    faults.push(fault);
    messages.push({
      topic: message.topic as string,
      event: message.event as string,
      payload: message.payload as Record<string, unknown>,
      private: message.private === true || message.private === 'true',
      id: typeof message.id === 'string' ? message.id : undefined,
    });
  }
  if (faults.some((fault) => Object.keys(fault).length > 0))
    return { ok: false, errors: { messages: faults } };
  return { ok: true, messages };
}
