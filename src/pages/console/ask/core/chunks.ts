/**
 * Parses the response of a chat completion: a stream of server-sent events (OpenAI's API), or one JSON document from a
 * server that doesn't stream. Servers differ:
 * - OpenAI ends a stream with `data: [DONE]`. Some servers only close the connection after `finish_reason`.
 * - vLLM's last chunk can have `choices` that are null or empty, with the usage.
 * - llama.cpp has sent errors in the field `error:` of an event, and vLLM and OpenAI send them as `data: {"error": …}`,
 *   both after status 200.
 * - Ollama's errors are an object in `/v1`, and text in its own API.
 */

export type Chunk =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'end'; readonly isCut: boolean }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'garbage' };

/** Reads the message of an error body. Returns undefined if the body doesn't have one. */
export function errorMessageOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { error, message, detail } = value as Record<string, unknown>;
  if (typeof error === 'string') return error;
  if (error !== null && typeof error === 'object') {
    const inner = (error as Record<string, unknown>).message;
    return typeof inner === 'string' ? inner : 'unknown error';
  }
  // FastAPI, on which vLLM and others are built, has `detail`.
  return [message, detail].find((each): each is string => typeof each === 'string');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the chunks of a whole response that isn't a stream. */
export function chunksOfDocument(text: string): Chunk[] {
  const value = parseJson(text);
  if (value === null || typeof value !== 'object') return [{ kind: 'garbage' }];
  return chunksOf(value as Record<string, unknown>, 'message');
}

function chunksOf(value: Record<string, unknown>, part: 'delta' | 'message'): Chunk[] {
  if (value.error !== undefined && value.error !== null)
    return [{ kind: 'error', message: errorMessageOf(value) ?? 'unknown error' }];
  if (value.object === 'error') return [{ kind: 'error', message: errorMessageOf(value) ?? 'unknown error' }];
  const { choices } = value;
  // A chunk with only the usage has no choices.
  if (choices === null || choices === undefined) return part === 'delta' ? [] : [{ kind: 'garbage' }];
  if (!Array.isArray(choices)) return [{ kind: 'garbage' }];
  const [choice] = choices as Record<string, unknown>[];
  if (choice === undefined || choice === null) return part === 'delta' ? [] : [{ kind: 'garbage' }];
  const content = (choice[part] as Record<string, unknown> | null | undefined)?.content;
  const reason = choice.finish_reason;
  return [
    ...(typeof content === 'string' && content !== '' ? [{ kind: 'text', text: content } as const] : []),
    ...(typeof reason === 'string' || part === 'message'
      ? [{ kind: 'end', isCut: reason === 'length' } as const]
      : []),
  ];
}

/** Parses server-sent events (WHATWG HTML, section 9.2) from text that arrives in parts. */
export class EventReader {
  #rest = '';
  #data: string[] = [];
  /** Whether `[DONE]` has arrived. */
  isDone = false;
  /** Whether any event has arrived. */
  hasEvents = false;

  read(part: string): Chunk[] {
    const lines = (this.#rest + part).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line));
  }

  /** Returns the chunks of an event without an empty line after it, with which some servers end. */
  finish(): Chunk[] {
    const chunks = [...this.#line(this.#rest.replace(/\r$/, '')), ...this.#event()];
    this.#rest = '';
    return chunks;
  }

  #line(line: string): Chunk[] {
    if (line === '') return this.#event();
    const [, field, value] = /^([^:]*):? ?([\s\S]*)$/.exec(line) ?? [];
    if (field === 'data') this.#data.push(value ?? '');
    if (field === 'error') {
      this.hasEvents = true;
      return [{ kind: 'error', message: errorMessageOf({ error: parseJson(value ?? '') ?? value }) ?? '' }];
    }
    return [];
  }

  #event(): Chunk[] {
    if (this.#data.length === 0) return [];
    const data = this.#data.join('\n');
    this.#data = [];
    this.hasEvents = true;
    if (data.trim() === '[DONE]') {
      this.isDone = true;
      return [];
    }
    const value = parseJson(data);
    if (value === null || typeof value !== 'object') return [{ kind: 'garbage' }];
    return chunksOf(value as Record<string, unknown>, 'delta');
  }
}
