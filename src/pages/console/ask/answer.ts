/** Streams the model's answer to the page as lines of JSON. */
import type { ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { diffLines } from '../../../base/shared/diff-lines.ts';
import { onDisconnect } from '../core/disconnect.ts';
import type { AskEvent, SentMessage } from './contract.ts';
import { parseAnswer } from './core/answer.ts';
import { visible } from './core/hostile.ts';
import { AskError, askModel, type Model } from './model.ts';

/** The maximum number of characters of an answer that the page receives. */
const maxAnswerChars = 100_000;

export function answer(
  model: Model,
  messages: readonly SentMessage[],
  {
    sql,
    socket,
    onEnd,
  }: { readonly sql: string; readonly socket: ServerResponse; readonly onEnd: () => void },
): Readable {
  const lines = new PassThrough();
  const canceled = new AbortController();
  onDisconnect(socket, () => canceled.abort());
  const emit = (event: AskEvent): void => void lines.write(`${JSON.stringify(event)}\n`);
  const run = async (): Promise<void> => {
    let text = '';
    let isCut = false;
    for await (const chunk of askModel(model, messages, canceled.signal)) {
      if (chunk.kind === 'end') {
        isCut = chunk.isCut;
        continue;
      }
      text += chunk.text;
      if (text.length > maxAnswerChars) throw new AskError('large', "The model's answer is too large.");
      emit({ event: 'text', text: visible(chunk.text) });
    }
    const parsed = parseAnswer(text);
    const diff = parsed.sql === null || sql.trim() === '' ? null : diffLines(sql.trim(), parsed.sql);
    emit({ event: 'done', ...parsed, diff, isCut });
  };
  void run()
    .catch((error: unknown) => {
      const fault = error instanceof AskError ? error.fault : 'failed';
      const message = error instanceof AskError ? error.message : 'The question failed unexpectedly.';
      emit({ event: 'error', fault, message });
    })
    .finally(() => {
      onEnd();
      lines.end();
    });
  return lines;
}
