/** Calls about operators. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export const roles = ['owner', 'developer', 'read-only'] as const;
export type Role = (typeof roles)[number];

export interface OperatorSummary {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly has_factor: boolean;
  readonly sessions: number;
}

export interface OperatorSession {
  readonly id: string;
  readonly operator_name: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly current: boolean;
}

export interface Invitation {
  readonly link: string;
  readonly expiresAt: string;
}

export const operatorsQuery = queryOptions({
  queryKey: ['operators', 'list'],
  queryFn: ({ signal }) =>
    callConsole<{ operators: readonly OperatorSummary[]; factorRequired: boolean }>('/operators', { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['operators', 'sessions'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ sessions: readonly OperatorSession[] }>('/sessions', { signal })).sessions,
});

export const factorQuery = queryOptions({
  queryKey: ['operators', 'factor'],
  queryFn: ({ signal }) =>
    callConsole<{ confirmed: boolean; recoveryCodesLeft: number }>('/factor', { signal }),
});

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

export const passkeysQuery = queryOptions({
  queryKey: ['operators', 'passkeys'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ passkeys: readonly Passkey[] }>('/factor/passkeys', { signal })).passkeys,
});

/** All of them change together. */
export const operatorsKey = ['operators'] as const;
