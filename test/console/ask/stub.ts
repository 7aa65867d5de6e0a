/**
 * A server that speaks the protocol of chat completions, in the variants of OpenAI, Ollama, vLLM and llama.cpp. A test
 * chooses the variant of the next response.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests read parts of the request
  readonly body: any;
}

export type Respond = (response: ServerResponse, received: Received) => void;

export interface Stub {
  readonly url: string;
  readonly received: Received[];
  /** Sets how the following requests are answered. */
  answer(respond: Respond): void;
  stop(): Promise<void>;
}

export async function startStub(): Promise<Stub> {
  const received: Received[] = [];
  let respond: Respond = streaming('```sql\nselect 1\n```');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
      };
      received.push(one);
      respond(response, one);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    answer(next) {
      respond = next;
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const chunk = (choices: unknown, rest: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices, ...rest })}\n\n`;

export const delta = (content: string): string =>
  chunk([{ index: 0, delta: { content }, finish_reason: null }]);
export const finish = (reason: string): string =>
  chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: reason }]);
export const done = 'data: [DONE]\n\n';

/** Sends parts of a stream of events, each in a separate write. */
export const events =
  (...parts: readonly (string | Buffer)[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const part of parts) response.write(part);
    response.end();
  };

/** Streams an answer as OpenAI does: the role first, a few characters per chunk, the usage, and `[DONE]`. */
export const streaming = (text: string, reason = 'stop'): Respond =>
  events(
    chunk([{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }]),
    ...(text.match(/[\s\S]{1,7}/g) ?? []).map(delta),
    finish(reason),
    chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
    done,
  );

/** Sends a whole document, as a server without streams does. */
export const document = (status: number, body: unknown, type = 'application/json'): Respond => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(text);
  };
};

export const completion = (content: string, reason = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'stub',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});

export const usageOnly = chunk(null, { usage: { total_tokens: 3 } });
