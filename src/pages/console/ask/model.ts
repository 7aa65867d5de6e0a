/** Sends messages to the model and yields its answer as it arrives (OpenAI's chat completions). */
import { OutgoingError } from '../../../base/shared/network/outgoing.ts';
import { postForStream, type StreamResponse } from '../../../base/shared/network/outgoing-stream.ts';
import type { AskFault, SentMessage } from './contract.ts';
import { type Chunk, chunksOfDocument, EventReader, errorMessageOf, parseJson } from './core/chunks.ts';
import { visible } from './core/hostile.ts';

export interface Model {
  /** The base URL, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly name: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
}

export class AskError extends Error {
  readonly fault: AskFault;
  constructor(fault: AskFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The maximum size of a response, which is many times larger than an answer. */
const maxAnswerBytes = 2_000_000;
const maxErrorChars = 300;

export const completionsUrl = (base: string): string => `${base.replace(/\/+$/, '')}/chat/completions`;

/**
 * Yields the parts of the answer. The last part is `end`.
 * @throws {AskError}
 */
export async function* askModel(
  model: Model,
  messages: readonly SentMessage[],
  canceled: AbortSignal,
): AsyncGenerator<Extract<Chunk, { kind: 'text' | 'end' }>> {
  const timeout = AbortSignal.timeout(model.timeoutMs);
  const signal = AbortSignal.any([timeout, canceled]);
  try {
    const response = await postForStream({
      url: completionsUrl(model.url),
      headers: {
        accept: 'text/event-stream, application/json',
        ...(model.key === undefined ? {} : { authorization: `Bearer ${model.key}` }),
      },
      body: JSON.stringify({ model: model.name, messages, stream: true }),
      signal,
    });
    yield* answerOf(response, model);
  } catch (error) {
    if (error instanceof AskError) throw error;
    if (timeout.aborted)
      throw new AskError(
        'timeout',
        `The model didn't finish within ${Math.round(model.timeoutMs / 1000)} seconds.`,
      );
    if (error instanceof OutgoingError && error.fault !== undefined)
      throw new AskError('unreachable', `The endpoint's URL isn't allowed: ${error.message}.`);
    if (error instanceof OutgoingError)
      throw new AskError(
        'unreachable',
        "The endpoint can't be reached. Check [console.ask] url and whether it runs.",
      );
    throw new AskError('truncated', 'The connection to the endpoint ended in the middle of the answer.');
  }
}

async function* answerOf(
  response: StreamResponse,
  model: Model,
): AsyncGenerator<Extract<Chunk, { kind: 'text' | 'end' }>> {
  if (response.status < 200 || response.status > 299) throw await rejection(response, model);
  const decoder = new TextDecoder();
  const events = new EventReader();
  // A server that doesn't support streams sends one document, whatever was requested.
  const isStream = !/^application\/json\b/i.test(response.contentType);
  let document = '';
  let end: Extract<Chunk, { kind: 'end' }> | undefined;
  let hasText = false;
  const accept = function* (chunks: readonly Chunk[]): Generator<Extract<Chunk, { kind: 'text' }>> {
    for (const chunk of chunks) {
      if (chunk.kind === 'garbage') throw garbage();
      if (chunk.kind === 'error')
        throw new AskError('failed', `The endpoint reported an error: ${cleanError(chunk.message, model)}`);
      if (chunk.kind === 'end') end = chunk;
      else {
        hasText = true;
        yield chunk;
      }
    }
  };
  for await (const part of limited(response.chunks)) {
    const text = decoder.decode(part, { stream: true });
    if (isStream) yield* accept(events.read(text));
    else document += text;
    if (events.isDone) break;
  }
  if (isStream) {
    yield* accept(events.finish());
    if (!events.hasEvents) throw garbage();
  } else yield* accept(chunksOfDocument(document));
  if (end === undefined && !events.isDone)
    throw new AskError('truncated', 'The answer ended early. Ask again.');
  if (!hasText) throw new AskError('garbage', 'The model returned an empty answer.');
  yield end ?? { kind: 'end', isCut: false };
}

const garbage = (): AskError =>
  new AskError(
    'garbage',
    "The endpoint's response isn't a chat completion. Check [console.ask] url, which usually ends in /v1.",
  );

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new AskError('large', "The model's answer is too large.");
    yield chunk;
  }
}

async function rejection({ status, chunks }: StreamResponse, model: Model): Promise<AskError> {
  let text = '';
  for await (const chunk of limited(chunks)) {
    text += chunk.toString('utf8');
    if (text.length > 20_000) break;
  }
  const message = errorMessageOf(parseJson(text));
  const said = message === undefined ? '' : ` It says: ${cleanError(message, model)}`;
  if (status === 401 || status === 403)
    return new AskError('unauthorized', `The endpoint rejected the key. Check [console.ask] key.${said}`);
  if (status === 429)
    return new AskError('limited', `The endpoint's limit is reached. Ask again later.${said}`);
  if (status === 404)
    return new AskError(
      'missing',
      `The endpoint has no such path or model. Check [console.ask] url and model.${said}`,
    );
  if (status >= 500) return new AskError('failed', `The endpoint failed with status ${status}.${said}`);
  return new AskError('rejected', `The endpoint rejected the request with status ${status}.${said}`);
}

/** Some endpoints repeat a part of the key in their errors. */
function cleanError(message: string, { key }: Model): string {
  const hidden = key === undefined || key === '' ? message : message.replaceAll(key, '[key]');
  const text = visible(hidden).trim();
  return text.length > maxErrorChars ? `${text.slice(0, maxErrorChars)}…` : text;
}
