/**
 * Explains why a change did or didn't reach a subscriber. Runs the same checks as the feed, with the same functions,
 * for this row and persona.
 */

import type { Pool, PostgresErrorShape } from '../../../platform/database/types.ts';
import { createCatalog } from '../changes/catalog.ts';
import {
  type ClaimSet,
  checkConditions,
  checkSubscription,
  makeVisibility,
  visibleRows,
} from '../changes/checks.ts';
import {
  type Change,
  changeJson,
  maxChangeBytes,
  type Rejection,
  rejectionOf,
  type Table,
} from '../core/change.ts';
import { type ChangeRequest, matchesName, parseChangeRequest } from '../core/filter.ts';
import { type CompiledCondition, compileCondition, type ValidCondition } from '../core/filter-match.ts';
import type { Caller } from '../core/token.ts';
import {
  type Cells,
  type ChangeCheckInput,
  type ChangeCheckResult,
  type CheckStep,
  DeliveryCheckError,
  type StepOutcome,
} from '../types.ts';
import {
  type PublicationFacts,
  passesRowFilter,
  publicationFacts,
  readPolicies,
  readRow,
  tableOid,
} from './queries.ts';
import { isStopped, stepOf, tokenStep } from './steps.ts';

export interface ChangeCheckDeps {
  /** The pool from which the service takes its connections. */
  readonly pool: () => Pool;
  /** The pool of the tables' owner, which is used to read the current row. */
  readonly ownerPool: () => Pool;
  readonly now: () => number;
  /** Returns the current message rate and its limit, or undefined if the rate isn't limited. */
  readonly rate: () => { readonly perSecond: number; readonly limit: number } | undefined;
}

type Row = ReadonlyMap<string, string | null>;

export async function checkChange(
  deps: ChangeCheckDeps,
  { subscriber, entry, change: asked }: ChangeCheckInput,
): Promise<Omit<ChangeCheckResult, 'connected'>> {
  const pool = deps.pool();
  const catalog = createCatalog(deps.pool);
  const oid = await tableOid(pool, asked.schema, asked.table);
  const table = oid === undefined ? undefined : await catalog.table(oid);
  if (table === undefined)
    throw new DeliveryCheckError(`The table ${asked.schema}.${asked.table} doesn't exist.`);
  checkColumns(table, asked);
  const facts = await publicationFacts(pool, table.oid);
  const found = await readRow(deps.ownerPool(), table, asked.key);
  if (found === undefined && asked.action !== 'DELETE')
    throw new DeliveryCheckError("The row doesn't exist, so it can't be delivered.");
  const whole: Cells = { ...asked.key, ...found, ...asked.row };
  const change = changeOf(table, asked.action, whole, { facts, committedAt: deps.now() });

  const steps: CheckStep[] = [];
  const token = tokenStep(subscriber, deps.now());
  const { caller } = token;
  steps.push(token.step);
  steps.push(await checkPublication(deps, table, asked, { facts, rowExists: found !== undefined }));
  const parsed = parseChangeRequest(entry);
  const request = parsed.ok ? parsed.value : undefined;
  const checked = request && (await checkRequest(pool, table, caller.role, request));
  steps.push(requestStep(table, asked.action, parsed, checked));
  const { selectable, exempt } = await catalog.access(table.oid, caller.role);
  const rejection = rejectionOf(table, asked.action, selectable);
  steps.push(checkPrivilege(table, caller.role, selectable, rejection));
  const delivery = { table, change, rejection };
  const conditions = checked !== undefined && 'conditions' in checked ? checked.conditions : [];
  steps.push(await checkFilter(pool, delivery, conditions));
  steps.push(await checkPolicy(deps, delivery, caller, exempt));
  steps.push(checkLimits(deps, change));

  const delivered = !isStopped(steps);
  const select = request?.select === undefined ? undefined : new Set(request.select);
  return {
    delivered,
    steps,
    dataJson: delivered ? changeJson(table, change, { selectable, select, rejection }) : undefined,
  };
}

function checkColumns(table: Table, { key, row = {} }: ChangeCheckInput['change']): void {
  const names = new Set(table.columns.map(({ name }) => name));
  if (Object.keys(key).length === 0) throw new DeliveryCheckError('The row key is empty.');
  for (const name of [...Object.keys(key), ...Object.keys(row)])
    if (!names.has(name))
      throw new DeliveryCheckError(`${table.schema}.${table.name} has no column ${name}.`);
}

/** Builds the change as the stream would deliver it. */
function changeOf(
  table: Table,
  action: Change['action'],
  cells: Cells,
  { facts, committedAt }: { readonly facts: PublicationFacts | undefined; readonly committedAt: number },
): Change {
  const identity = new Set(facts?.identity ?? table.primaryKey);
  const published = facts?.columns ?? undefined;
  const names = table.columns
    .map(({ name }) => name)
    .filter((name) => published === undefined || published.includes(name));
  const part = (keep: (name: string) => boolean): Row =>
    new Map(names.filter((name) => keep(name) && name in cells).map((name) => [name, cells[name] ?? null]));
  const row = action === 'DELETE' ? undefined : part(() => true);
  const old = action === 'INSERT' || identity.size === 0 ? undefined : part((name) => identity.has(name));
  const columns = table.columns.map(({ name }) => ({ name, typeOid: 0, key: identity.has(name) }));
  const relation = { oid: table.oid, schema: table.schema, table: table.name, replicaIdentity: 'd', columns };
  // A pgoutput tuple consists of 8 bytes and, for each column, a tag, a length and the value. For a null, the tuple
  // contains only the tag.
  const bytes = [...(row ?? old ?? new Map<string, string | null>()).values()].reduce(
    (sum, cell) => sum + (cell === null ? 1 : 5 + Buffer.byteLength(cell)),
    8,
  );
  return { action, relation, committedAt, row, old, bytes };
}

async function checkPublication(
  deps: ChangeCheckDeps,
  table: Table,
  { action, key }: ChangeCheckInput['change'],
  { facts, rowExists }: { readonly facts: PublicationFacts | undefined; readonly rowExists: boolean },
): Promise<CheckStep> {
  const step = stepOf('publication');
  const name = `${table.schema}.${table.name}`;
  if (facts === undefined)
    return step('stops', 'no-publication', "The supabase_realtime publication doesn't exist.");
  if (!facts.published)
    return step('stops', 'not-published', `${name} isn't in the supabase_realtime publication.`);
  const does = { INSERT: facts.insert, UPDATE: facts.update, DELETE: facts.delete };
  if (!does[action]) {
    const says = `The supabase_realtime publication doesn't include ${action}.`;
    return step('stops', 'action-not-published', says, { actions: does });
  }
  const { row_filter: filter, columns } = facts;
  if (filter !== null && rowExists) {
    const passes = await passesRowFilter(deps.ownerPool(), table, key, filter);
    if (passes === false) {
      const says = "The row doesn't match the row filter of the publication.";
      return step('stops', 'publication-row-filter', says, { rowFilter: filter });
    }
  }
  const says = `The publication includes ${action} on ${name}.`;
  return step('passes', 'published', says, { columns, rowFilter: filter });
}

type Checked = { readonly conditions: readonly ValidCondition[] } | { readonly error: PostgresErrorShape };

function checkRequest(pool: Pool, table: Table, role: string, request: ChangeRequest): Promise<Checked> {
  return checkSubscription(pool, table.oid, role, request).then(
    (conditions) => ({ conditions }),
    (error: PostgresErrorShape) => {
      if (typeof error.code !== 'string') throw error;
      return { error };
    },
  );
}

function requestStep(
  table: Table,
  action: Change['action'],
  parsed: ReturnType<typeof parseChangeRequest>,
  checked: Checked | undefined,
): CheckStep {
  const step = stepOf('request');
  if (!parsed.ok) return step('stops', 'request-invalid', parsed.message);
  const request = parsed.value;
  const facts = { event: request.action, schema: request.schema, table: request.table };
  if (!matchesName(request.schema, table.schema) || !matchesName(request.table, table.name))
    return step('stops', 'other-table', 'The subscription is for a different table.', facts);
  if (request.action !== '*' && request.action !== action)
    return step('stops', 'other-event', `The subscription is only for ${request.action}.`, facts);
  if (checked !== undefined && 'error' in checked) {
    const { message } = checked.error;
    return step('stops', 'request-refused', `The subscription is rejected: ${message}.`, facts);
  }
  return step('passes', 'request-matches', 'The subscription matches this change.', facts);
}

function checkPrivilege(
  table: Table,
  role: string,
  selectable: ReadonlySet<string>,
  rejection: Rejection | undefined,
): CheckStep {
  const step = stepOf('privilege');
  const hidden = table.columns.map(({ name }) => name).filter((name) => !selectable.has(name));
  const facts = { role, hidden };
  if (rejection === 'Error 400: Bad Request, no primary key') {
    const says =
      'The table has no primary key, so subscribers with this role get an error instead of the row.';
    return step('alters', 'no-primary-key', says, facts);
  }
  if (rejection !== undefined) {
    const says = `${role} can't SELECT the primary key, so subscribers with this role get an error instead of the row.`;
    return step('alters', 'no-select-on-key', says, facts);
  }
  if (hidden.length === 0) return step('passes', 'all-columns', `${role} can SELECT every column.`, facts);
  const says = `${role} can't SELECT these columns, so the message omits them: ${hidden.join(', ')}.`;
  return step('alters', 'hidden-columns', says, facts);
}

const notAsked = 'Not checked because no subscriber with this role gets the row.';

/** A change, and the reason why subscribers with the role can't receive it. */
interface Delivery {
  readonly table: Table;
  readonly change: Change;
  readonly rejection: Rejection | undefined;
}

async function checkFilter(
  pool: Pool,
  { table, change, rejection }: Delivery,
  conditions: readonly ValidCondition[],
): Promise<CheckStep> {
  const step = stepOf('filter');
  if (conditions.length === 0) return step('passes', 'no-filter', 'The subscription has no filter.');
  if (rejection !== undefined) return step('not asked', 'refused-before', notAsked);
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  const row = change.action === 'DELETE' ? change.old : change.row;
  const result = [];
  for (const condition of conditions) {
    const column = columns.get(condition.column);
    const value = row?.get(condition.column);
    const compiled = column && compileCondition(condition, column);
    const holds = compiled !== undefined && value !== undefined && (await fulfills(pool, compiled, value));
    const { operator, negate } = condition;
    const text = `${condition.column}=${negate ? 'not.' : ''}${operator}.${condition.value}`;
    result.push({ text, column: condition.column, value, present: value !== undefined, holds });
  }
  const failed = result.find(({ holds }) => !holds);
  const facts = { conditions: result };
  if (failed === undefined) return step('passes', 'filter-matches', 'The filter matches.', facts);
  if (!failed.present && change.action === 'DELETE') {
    const says = `The filter uses ${failed.column}, which isn't part of the replica identity. For deleted rows, only the replica identity is available.`;
    return step('stops', 'column-not-in-identity', says, facts);
  }
  return step('stops', 'filter-does-not-match', `The filter doesn't match: ${failed.text}.`, facts);
}

async function fulfills(pool: Pool, compiled: CompiledCondition, value: string | null): Promise<boolean> {
  if (compiled.test !== undefined) return compiled.test(value);
  const [holds] = await checkConditions(pool, [{ compiled, value }]);
  return holds === true;
}

async function checkPolicy(
  deps: ChangeCheckDeps,
  { table, change, rejection }: Delivery,
  caller: Caller,
  exempt: boolean,
): Promise<CheckStep> {
  const step = stepOf('policy');
  const pass = (code: string, says: string): CheckStep => step('passes', code, says);
  if (rejection !== undefined) return step('not asked', 'refused-before', notAsked);
  if (!table.rowSecurity)
    return pass('row-security-off', 'Row-level security is off, so every subscriber can read every row.');
  if (change.action === 'DELETE') {
    const says =
      "Policies can't be checked for a deleted row, so every subscriber gets only its primary key.";
    return step('alters', 'delete-not-asked', says);
  }
  if (exempt) return pass('exempt', `${caller.role} is exempt from policies.`);
  const pool = deps.pool();
  const policies = await readPolicies(pool, table.oid, caller.role);
  const facts = { policies };
  const claimSet: ClaimSet = { role: caller.role, sub: caller.sub ?? '', claimsJson: caller.claimsJson };
  const name = await makeVisibility(pool, table.oid);
  const key = table.primaryKey.map((column) => change.row?.get(column) ?? '');
  const visible =
    name === null ? new Map() : await visibleRows(pool, { functionName: name, table }, [key], [claimSet]);
  if (visible.has(claimSet)) {
    const says = 'Row-level security allows the subscriber to read the current row.';
    return step('passes', 'visible', says, facts);
  }
  const [code, says] = policies.some(({ permissive }) => permissive)
    ? ['hidden-by-policies', 'Row-level security hides the current row from the subscriber.']
    : ['no-policy', `Row-level security is on, and no policy allows ${caller.role} to read.`];
  return step('stops', code as string, says as string, facts);
}

function checkLimits({ rate }: ChangeCheckDeps, change: Change): CheckStep {
  const step = stepOf('limit');
  const used = rate();
  const facts = { sizeBytes: change.bytes, maxBytes: maxChangeBytes };
  if (used !== undefined && used.perSecond > used.limit) {
    const says =
      'The limit of messages per second is reached, so channels are closed with "Too many messages per second".';
    return step('stops', 'rate-reached', says, { ...facts, ...used });
  }
  const outcome: StepOutcome = change.bytes > maxChangeBytes ? 'alters' : 'passes';
  return outcome === 'passes'
    ? step(outcome, 'within-limits', 'The change is within all limits.', facts)
    : step(
        outcome,
        'too-large',
        'The change is too large, so values of more than 64 bytes are omitted.',
        facts,
      );
}
