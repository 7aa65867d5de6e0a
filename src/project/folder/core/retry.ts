/**
 * Decides which statements that --keep-going has skipped run again after a later file. The file order is the
 * project's intent, so a statement that runs late must not undo a later statement. For example, a late CREATE POLICY
 * must not restore a policy that a later file has replaced.
 */
import { identifier, partsOf, withoutComments } from './missing.ts';

export interface RetryContext {
  /** The statements that the project runs after the skipped statement, including skipped ones. */
  readonly later: readonly string[];
  /** Whether seeds have run since, whose rows a late UPDATE or INSERT of a migration could overwrite. */
  readonly seedsHaveRun: boolean;
}

/** Statements that define the schema or privileges, or that may do so. */
const definesSchema =
  /^(?:create|alter|grant|revoke|comment|security|do|select|call|import|refresh|cluster)\b/i;
const changesRows = /^(?:insert|update|merge|with|values)\b/i;

/**
 * Statements that remove or rename something. They failed because the object didn't exist, so the result is already
 * as intended, and an object that was created since isn't the one they refer to.
 */
const removes =
  /^alter\b[^;]*?\b(?:drop\b|rename\b|set\s+schema\b|detach\b|disable\s+(?:row|trigger|rule)\b|no\s+force\b)/i;
const removesInside =
  /\b(?:drop\s+(?!policy\b|trigger\b|function\b|constraint\b)|truncate\b|delete\s+from\b|rename\s+to\b|disable\s+row\b)/i;

/**
 * Whether the skipped statement runs again.
 *
 * @example
 * isRetried('alter table b enable row level security', { later: ['create table b ()'], seedsHaveRun: false }); // true
 * isRetried('drop policy p on b', { later: ['create table b ()'], seedsHaveRun: false }); // false
 */
export function isRetried(statement: string, { later, seedsHaveRun }: RetryContext): boolean {
  const text = normalized(statement);
  if (changesRows.test(text)) return !seedsHaveRun;
  if (!definesSchema.test(text) || removes.test(text)) return false;
  if (/^do\b/i.test(text) && removesInside.test(text)) return false;
  return !later.some((other) => isSuperseded(text, normalized(other)));
}

const normalized = (statement: string): string => withoutComments(statement).replace(/\s+/g, ' ').trim();

function isSuperseded(pending: string, later: string): boolean {
  if (/^(?:grant|alter default privileges)\b/i.test(pending))
    return /^(?:revoke|alter default privileges\b.*\brevoke)\b/i.test(later) && shareObject(pending, later);
  if (/^alter table\b.*\benable row level security\b/i.test(pending))
    return /^alter table\b.*\bdisable row level security\b/i.test(later) && shareObject(pending, later);
  const next = definition(later);
  if (next === undefined) return false;
  if (/^do\b/i.test(pending)) return isRemovalFromBlock(pending, next);
  const first = definition(pending);
  if (first === undefined || !first.keys.some((key) => next.keys.includes(key))) return false;
  if (first.verb === 'create' || first.kind === 'policy')
    return next.verb !== 'alter' || first.kind === 'policy';
  return next.verb === 'drop';
}

/** A block that creates several objects runs even if one of them was dropped later, unless that is a policy. */
function isRemovalFromBlock(block: string, next: Definition): boolean {
  if (next.kind !== 'policy' || next.verb !== 'drop' || /\brow level security\b/i.test(block)) return false;
  return next.names.some((name) => block.toLowerCase().includes(name.toLowerCase()));
}

interface Definition {
  readonly verb: string;
  readonly kind: string;
  readonly names: readonly string[];
  /** The kind and the name, and the table for objects that belong to a table. */
  readonly keys: readonly string[];
}

const qualified = String.raw`${identifier}(?:\s*\.\s*${identifier})*`;
const definitionPattern = new RegExp(
  `^(?<verb>create|alter|drop) (?:(?:or replace|global|local|temp|temporary|unlogged|unique|materialized|recursive|foreign|constraint|event) )*` +
    `(?<kind>table|view|function|procedure|aggregate|type|domain|sequence|schema|index|role|user|extension|policy|trigger|rule) ` +
    `(?:concurrently )?(?:if (?:not )?exists )?(?:only )?(?<name>${qualified})(?<rest>.*)$`,
  'is',
);

function definition(text: string): Definition | undefined {
  const groups = definitionPattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { verb = '', kind = '', name = '', rest = '' } = groups;
  const lower = kind.toLowerCase();
  const others = verb.toLowerCase() === 'drop' && !belongsToTable(lower) ? restOfList(rest) : [];
  const names = [name, ...others].map((one) => partsOf(one).at(-1) ?? '');
  const table = belongsToTable(lower) ? tableOf(rest) : '';
  return {
    verb: verb.toLowerCase(),
    kind: lower,
    names,
    keys: names.map((one) => `${lower} ${one} ${table}`),
  };
}

const belongsToTable = (kind: string): boolean => kind === 'policy' || kind === 'trigger' || kind === 'rule';

function tableOf(rest: string): string {
  const on = new RegExp(String.raw`\bon (?:only )?(?<table>${qualified})`, 'i').exec(rest)?.groups?.table;
  return on === undefined ? '' : (partsOf(on).at(-1) ?? '');
}

/** Returns the remaining names of `drop table a, b`. Arguments in parentheses are ignored. */
function restOfList(rest: string): string[] {
  const list = rest.replace(/\([^()]*\)/g, '');
  return [...list.matchAll(new RegExp(`, (${qualified})`, 'g'))].map(([, name = '']) => name);
}

/** Whether both statements name the same object, compared without the schema. */
function shareObject(one: string, other: string): boolean {
  const names = new Set(objectsOf(one));
  return objectsOf(other).some((name) => names.has(name));
}

function objectsOf(text: string): string[] {
  const list =
    /^alter table (?:if exists )?(?:only )?(.*?) (?:enable|disable|force) /i.exec(text)?.[1] ??
    /\bon (?:table |all |function |schema |sequence |routine |procedure |type )*(.*?) (?:to|from) /i.exec(
      text,
    )?.[1];
  if (list === undefined) return [];
  return list.split(',').map((name) => partsOf(name.replace(/\(.*$/, '')).at(-1) ?? '');
}
