import { z } from 'zod';
import type { DiffLine } from '../../../base/shared/diff-lines.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';
import type { ChartChoice } from '../sql-page/contract.ts';

const cell = z.string().max(2000).nullable();
const question = z.object({
  question: z.string().trim().min(1).max(4000),
  /** The editor's text, which the question may be about. */
  sql: z.string().max(20_000).default(''),
  /** Earlier questions and answers of the conversation, oldest first. */
  turns: z
    .array(z.object({ question: z.string().max(4000), answer: z.string().max(20_000) }))
    .max(6)
    .default([]),
  /** The error of the last run. */
  error: z.object({ sqlstate: z.string().max(5), message: z.string().max(4000) }).optional(),
  /** Rows of the last result. Only allowed if `[console.ask] allow_rows` is set. */
  rows: z
    .object({ columns: z.array(z.string().max(200)).max(50), rows: z.array(z.array(cell).max(50)).max(20) })
    .optional(),
});

/** Whether and which model can be asked. */
export interface AskStatus {
  readonly isEnabled: boolean;
  readonly model: string;
  /** The origin of the endpoint, such as `http://127.0.0.1:11434`. */
  readonly endpoint: string;
  readonly allowsRows: boolean;
  readonly maxPerDay: number;
  readonly askedToday: number;
}

export interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type AskFault =
  | 'unreachable'
  | 'unauthorized'
  | 'limited'
  | 'missing'
  | 'rejected'
  | 'failed'
  | 'timeout'
  | 'large'
  | 'truncated'
  | 'garbage';

/** The events that are sent as lines of the response. */
export type AskEvent =
  /** A part of the answer as the model writes it. */
  | { readonly event: 'text'; readonly text: string }
  | {
      readonly event: 'done';
      /** The whole answer without its SQL and chart. */
      readonly text: string;
      readonly sql: string | null;
      readonly chart: ChartChoice | null;
      /** The differences between the editor's text and the SQL. */
      readonly diff: readonly DiffLine[] | null;
      /** Whether the model stopped because the answer reached the model's limit. */
      readonly isCut: boolean;
    }
  | { readonly event: 'error'; readonly fault: AskFault; readonly message: string };

export const contract = {
  'GET /ask': { response: json<AskStatus>() },
  /** Returns the messages that `POST /ask` sends to the model. Sends nothing. */
  'POST /ask/preview': { body: question, response: json<{ readonly messages: readonly SentMessage[] }>() },
  /** Each line of the response is an {@link AskEvent}. */
  'POST /ask': { body: question, response: raw },
} as const satisfies RouteTable;

export type Question = z.output<typeof question>;
