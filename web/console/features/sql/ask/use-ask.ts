/** Sends one question at a time, and keeps the conversation, which is bounded. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type AskEvent, ask, askQuery, type Question } from './api.ts';

export type Done = Extract<AskEvent, { event: 'done' }>;

export interface AskState {
  readonly isAsking: boolean;
  /** The answer as far as it has arrived. */
  readonly text: string;
  readonly done: Done | undefined;
  readonly error: unknown;
}

const idle: AskState = { isAsking: false, text: '', done: undefined, error: null };

/** The number of earlier questions that are sent with the next one. */
const maxTurns = 4;
const maxTurnChars = 8000;

export type Turn = NonNullable<Question['turns']>[number];

export function useAsk() {
  const client = useQueryClient();
  const [state, setState] = useState<AskState>(idle);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);

  async function send(question: Question): Promise<void> {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    setState({ ...idle, isAsking: true });
    let text = '';
    try {
      for await (const event of ask(question, own.signal)) {
        if (own.signal.aborted) return;
        if (event.event === 'error') throw new Error(event.message);
        if (event.event === 'text') {
          text += event.text;
          setState((previous) => ({ ...previous, text }));
        } else {
          setState({ ...idle, text, done: event });
          const answer = text.slice(0, maxTurnChars);
          setTurns((earlier) => [...earlier, { question: question.question, answer }].slice(-maxTurns));
        }
      }
    } catch (error) {
      if (!own.signal.aborted) setState({ ...idle, text, error });
    } finally {
      if (!own.signal.aborted) setState((previous) => ({ ...previous, isAsking: false }));
      void client.invalidateQueries({ queryKey: askQuery.queryKey });
    }
  }

  return {
    state,
    turns,
    send,
    stop: (): void => {
      controller.current?.abort();
      setState((previous) => ({ ...previous, isAsking: false }));
    },
    /** Removes the answer. The conversation continues with the next question. */
    hide: (): void => {
      controller.current?.abort();
      setState(idle);
    },
    /** Removes the answer and the conversation. */
    close: (): void => {
      controller.current?.abort();
      setState(idle);
      setTurns([]);
    },
  };
}
