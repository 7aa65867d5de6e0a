import { z } from 'zod';
import type { CapturedMessage } from '../../../services/mail/types.ts';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';

const inboxPage = z.object({
  limit: z.coerce.number<number>().int().min(1).max(200).default(50),
  offset: z.coerce.number<number>().int().min(0).default(0),
  search: z.string().max(200).optional(),
});

export interface MessageFacts {
  readonly code: string | null;
  readonly link: string | null;
  readonly snippet: string;
}

export type MessageSummary = Omit<CapturedMessage, 'html' | 'text'> & MessageFacts;

export type Message = MessageSummary & { readonly text: string; readonly hasHtml: boolean };

export const contract = {
  'GET /inbox': {
    query: inboxPage,
    response: json<{ readonly total: number; readonly messages: readonly MessageSummary[] }>(),
  },
  'GET /inbox/:id': { response: json<Message>() },
  /** Returns the email as an HTML document for a sandboxed frame. */
  'GET /inbox/:id/html': { response: raw },
  'POST /inbox/:id/read': { response: noContent },
  'DELETE /inbox/:id': { response: noContent },
  'DELETE /inbox': { response: noContent },
} as const satisfies RouteTable;
