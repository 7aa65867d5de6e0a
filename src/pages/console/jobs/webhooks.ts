/** Lists database webhooks with the latest delivery of each. Changes the webhooks' triggers as the role `postgres`. */
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import { applyChanges, statementsOf } from '../schema/apply.ts';
import type { SchemaChange } from '../schema/changes.ts';
import type { DeliveryRow } from './contract.ts';
import {
  argumentsOf,
  eventsOf,
  hookFunction,
  isPlainType,
  requestOf,
  shownPairs,
  shownUrl,
  type WebhookEvent,
  type WebhookRequest,
} from './core/webhook.ts';
import { type JobDeps, readParts } from './parts.ts';
import * as queries from './webhook-queries.ts';

export const deliveriesPerPage = 50;

type NewWebhook = WebhookRequest & {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly events: readonly WebhookEvent[];
};

const contract = () => import('./contract.ts');

const creating = ({ schema, table, name, events, ...request }: NewWebhook): SchemaChange => ({
  kind: 'create_trigger',
  schema,
  table,
  name,
  timing: 'after',
  events,
  forEach: 'row',
  function: hookFunction,
  arguments: argumentsOf(request),
});

const labelOf = ({ schema, table, name }: { schema: string; table: string; name: string }): string =>
  `${schema}.${table}: ${name}`;

/**
 * Returns the details of a webhook for the audit log. Omits the URL's path and the headers, which may contain keys,
 * because every operator can read the audit log.
 */
const auditDetails = ({ events, url, method, timeoutMs }: NewWebhook): object => ({
  events,
  to: new URL(url).origin,
  method,
  timeoutMs,
});

export function webhookRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const pool = database.pool('postgres');

  /** Checks that database webhooks are available. @throws {ConsoleError} refused */
  async function requireHooks(): Promise<{ hasNet: boolean }> {
    const { hooks, net } = await readParts(pool);
    if (!hooks)
      throw new ConsoleError('refused', {
        message: "This PostgreSQL server doesn't support database webhooks.",
      });
    return { hasNet: net === 'ready' };
  }

  function shown(call: Call, row: queries.WebhookRow) {
    const maySee = may(call.operator.role, 'secrets');
    const request = requestOf(row.args);
    const { schema, table, name, enabled } = row;
    return {
      schema,
      table,
      name,
      enabled,
      events: eventsOf(row.type),
      url: shownUrl(request.url, maySee),
      method: request.method,
      headers: shownPairs(request.headers, maySee),
      params: shownPairs(request.params, maySee),
      timeoutMs: request.timeoutMs,
      // False if the form doesn't support all of the trigger's properties. If false, saving the form would remove the
      // unsupported properties.
      isPlain: isPlainType(row.type) && !row.is_narrowed,
      definition: maySee ? row.definition : null,
    };
  }

  const shownDelivery = (call: Call, { id, sent_at, outcome, status, answered_at, ...rest }: DeliveryRow) => {
    const open = { id, sent_at, outcome, status, answered_at };
    const { request_id, content_type, content, error } = rest;
    return may(call.operator.role, 'secrets')
      ? { ...open, request_id, content_type, content, error }
      : { ...open, request_id, content_type: null, content: null, error: null };
  };

  async function hookOf(call: Call): Promise<queries.WebhookRow> {
    const only = await parseAs((await contract()).hookParams, call.request.params);
    const [row] = await queries.listWebhooks(pool, only);
    if (row === undefined) throw new ConsoleError('not_found', { message: "This webhook doesn't exist." });
    return row;
  }

  route('GET /jobs/webhooks', 'read', async (call) => {
    const { hasNet } = await requireHooks();
    const rows = await queries.listWebhooks(pool);
    const last = hasNet && rows.length > 0 ? await queries.lastDeliveries(pool, rows) : [];
    return {
      webhooks: rows.map((row) => {
        const delivery = last.find(({ table_id, name }) => table_id === row.table_id && name === row.name);
        return {
          ...shown(call, row),
          last_delivery: delivery === undefined ? null : shownDelivery(call, delivery),
        };
      }),
    };
  });
  route('POST /jobs/webhooks', 'write', async (call) => {
    const requested = await call.body();
    await requireHooks();
    await applyChanges(pool, statementsOf([creating(requested)]), undefined);
    await audit(call, 'webhook.create', labelOf(requested), auditDetails(requested));
  });
  route('PUT /jobs/webhooks/:schema/:table/:name', 'write', async (call) => {
    const requested = await call.body();
    const previous = await hookOf(call);
    const { schema, table, name } = previous;
    if (!isPlainType(previous.type) || previous.is_narrowed)
      throw new ConsoleError('refused', {
        message: 'This webhook has conditions that this form doesn’t support. Change the webhook with SQL.',
      });
    await applyChanges(
      pool,
      statementsOf([
        { kind: 'drop_trigger', schema, table, name },
        creating(requested),
        ...(previous.enabled
          ? []
          : ([
              {
                kind: 'set_trigger',
                schema: requested.schema,
                table: requested.table,
                name: requested.name,
                enabled: false,
              },
            ] as const)),
      ]),
      undefined,
    );
    await audit(call, 'webhook.change', labelOf(requested), {
      ...auditDetails(requested),
      ...(labelOf(previous) === labelOf(requested) ? {} : { previous: labelOf(previous) }),
    });
  });
  route('PATCH /jobs/webhooks/:schema/:table/:name', 'write', async (call) => {
    const { enabled } = await call.body();
    const { schema, table, name } = await hookOf(call);
    await applyChanges(
      pool,
      statementsOf([{ kind: 'set_trigger', schema, table, name, enabled }]),
      undefined,
    );
    await audit(call, 'webhook.change', labelOf({ schema, table, name }), { enabled });
  });
  route('DELETE /jobs/webhooks/:schema/:table/:name', 'write', async (call) => {
    const { schema, table, name } = await hookOf(call);
    await applyChanges(pool, statementsOf([{ kind: 'drop_trigger', schema, table, name }]), undefined);
    await audit(call, 'webhook.remove', labelOf({ schema, table, name }));
  });
  route('GET /jobs/webhooks/:schema/:table/:name/deliveries', 'read', async (call) => {
    const { before } = await call.query();
    const hook = await hookOf(call);
    const { hasNet } = await requireHooks();
    const rows = hasNet ? await queries.listDeliveries(pool, hook, before, deliveriesPerPage + 1) : [];
    return {
      deliveries: rows.slice(0, deliveriesPerPage).map((row) => shownDelivery(call, row)),
      more: rows.length > deliveriesPerPage,
    };
  });
}
