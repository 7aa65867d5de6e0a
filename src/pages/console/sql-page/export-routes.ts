/** The routes that export the complete result of a statement. */

import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../base/kernel/clock.ts';
import { attachment } from '../../../base/shared/http/header-text.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { onDisconnect } from '../core/disconnect.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { AddRoute, Call, RouteCall } from '../routes/api.ts';
import type { contract, ParameterValue } from './contract.ts';
import { exportResult } from './export.ts';
import { oneStatement, requireValues, runnables } from './runnable.ts';
import type { Runs } from './runs.ts';

type Contract = typeof contract;

const contentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;

export function exportRoutes(
  route: AddRoute<Contract>,
  deps: {
    readonly database: Database;
    readonly clock: Clock;
    readonly runs: Runs;
    readonly audit: Audit;
    readonly identityOf: (
      call: Call,
      as: string | undefined,
      isReadOnly: boolean,
    ) => Promise<Identity & { as: string }>;
  },
): void {
  const { database, clock, runs, audit, identityOf } = deps;
  const exports = createPendingExports(clock.now);

  async function prepare(
    call: RouteCall<string, Contract['POST /sql/exports']>,
    isReadOnly: boolean,
  ): Promise<{ id: string }> {
    const { as, ...request } = await call.body();
    requireValues([oneStatement(request.text)], request.parameters);
    return { id: exports.add(call.operator.id, { ...request, as, isReadOnly }) };
  }

  async function download(call: Call, id: string): Promise<FastifyReply> {
    const request = exports.take(id, call.operator.id);
    if (request === undefined)
      throw new ConsoleError('gone', { message: 'This download has expired. Export the result again.' });
    const { text, as, parameters: values, isReadOnly, format, guarded, name } = request;
    if (!isReadOnly && !may(call.operator.role, 'write')) throw new ConsoleError('forbidden');
    const identity = await identityOf(call, as, isReadOnly);
    const { id: runId, signal, finish } = runs.begin(call.operator.id);
    onDisconnect(call.reply.raw, () => {
      runs.cancel(runId, call.operator.id);
      finish();
    });
    signal.throwIfAborted();
    const [runnable] = await runnables(database, [oneStatement(text)], { values, isReadOnly, signal });
    if (runnable === undefined) throw new Error('no statement was prepared');
    const file = await exportResult(database, runnable, { identity, format, guarded, signal });
    await audit(call, 'sql.export', identity.as, { format });
    return call.reply
      .headers({
        'content-type': contentTypes[format],
        'content-disposition': attachment(`${name}.${format}`),
      })
      .send(file);
  }

  route('POST /sql/exports', 'write', (call) => prepare(call, false));
  route('POST /sql/look/exports', 'read', (call) => prepare(call, true), { changes: 'nothing' });
  route('GET /sql/exports/:id', 'read', (call) => download(call, call.params.id));
}

/**
 * Exports that the page has prepared. Browsers download files with GET requests, whose URLs can't contain long
 * statements. Therefore, the page first sends the statement in a POST request and then opens the URL of the export.
 */
interface PendingExport {
  readonly text: string;
  readonly parameters: readonly ParameterValue[];
  readonly as: string | undefined;
  readonly format: 'csv' | 'json';
  readonly guarded: boolean;
  readonly name: string;
  readonly isReadOnly: boolean;
}

const lifetimeMs = 60_000;
/** The maximum number of prepared exports per operator. Any additional export replaces the operator's oldest one. */
const maxPending = 5;

interface PendingExports {
  add(operatorId: string, request: PendingExport): string;
  /** Returns the operator's export and removes it. Returns undefined if the export doesn't exist or has expired. */
  take(id: string, operatorId: string): PendingExport | undefined;
}

function createPendingExports(now: () => number): PendingExports {
  const pending = new Map<string, { operatorId: string; until: number; request: PendingExport }>();
  return {
    add(operatorId, request) {
      for (const [id, { until }] of pending) if (until < now()) pending.delete(id);
      const own = [...pending].filter(([, each]) => each.operatorId === operatorId);
      const [oldest] = own;
      if (own.length >= maxPending && oldest !== undefined) pending.delete(oldest[0]);
      const id = randomUUID();
      pending.set(id, { operatorId, until: now() + lifetimeMs, request });
      return id;
    },
    take(id, operatorId) {
      const found = pending.get(id);
      if (found?.operatorId !== operatorId) return undefined;
      pending.delete(id);
      return found.until < now() ? undefined : found.request;
    },
  };
}
