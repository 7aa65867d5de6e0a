import { describe, expect, it } from 'vitest';
import { inSlices } from '../../../../base/shared/slices.ts';
import { defaultConfig } from '../../../../platform/config/index.ts';
import type { RelationRow } from '../../queries.ts';
import { buildSchemaCache } from '../../schema-cache/build.ts';
import { settingsFromConfig } from '../../settings.ts';
import { parseBody, parseHead, readAction, readProfile } from '../request.ts';
import { comparisonsOf } from './comparisons.ts';
import { planCrud } from './crud.ts';

const relation = (oid: number, name: string, isView: boolean): RelationRow => ({
  oid,
  schema: 'public',
  name,
  description: null,
  isView,
  events: 28,
  primaryKey: isView ? [] : ['id'],
  columns: ['id', 'owner', 'kind', 'sent_at', 'data'].map((column) => ({
    name: column,
    description: null,
    nullable: true,
    type: column === 'data' ? 'jsonb' : 'text',
    nominalType: column === 'data' ? 'jsonb' : 'text',
    maxLength: null,
    default: null,
    enumValues: [],
  })),
});
const cache = await inSlices(
  buildSchemaCache({
    schemas: ['public'],
    relations: [relation(1, 'messages', false), relation(2, 'recent', true)],
    foreignKeys: [],
    primaryKeys: [],
    views: [],
    computed: [],
    routines: [],
    representations: [],
    mediaHandlers: [],
    setsResponse: false,
    isDistributed: false,
  }),
);
const settings = { ...settingsFromConfig(defaultConfig(), 'off'), schemas: ['public'] };

function comparisons(url: string) {
  const [path = '', query = ''] = url.split('?');
  const request = { method: 'GET', path, query, headers: {}, body: new Uint8Array(0) };
  const action = readAction(request, settings);
  if (action.kind !== 'read') throw new Error('not a read');
  const plan = planCrud(
    parseBody(parseHead(request, action, readProfile(request, settings.schemas), settings), request),
    {
      cache,
      settings,
    },
  );
  return comparisonsOf(plan.read, cache.relations)?.map(({ column, slot }) =>
    slot === undefined ? column : `${column} ${slot}`,
  );
}

describe('comparisonsOf', () => {
  it.each<[string, string, string[] | undefined]>([
    ['no filter', '/messages?order=id&limit=1', []],
    ['the primary key', '/messages?id=eq.1', []],
    ['an equality', '/messages?owner=eq.a&kind=eq.b', ['owner 0', 'kind 1']],
    ['a list', '/messages?owner=in.(a,b)', ['owner']],
    ['an empty list', '/messages?owner=in.()', []],
    ['values in a logic tree', '/messages?or=(owner.eq.a,kind.is.null)', ['owner']],
    ['null', '/messages?owner=is.null', []],
    ['a negated equality', '/messages?owner=not.eq.a', undefined],
    ['a quantified equality', '/messages?owner=eq(any).{a}', undefined],
    ['a pattern', '/messages?owner=like.a*', undefined],
    ['a path into a column', '/messages?data->>a=eq.b', undefined],
    ['a column of a view', '/recent?owner=eq.a', undefined],
    ['a bound of the first column of the order', '/messages?sent_at=lt.a&order=sent_at.desc,id', []],
    ['two such bounds', '/messages?sent_at=lt.a&sent_at=gte.b&order=sent_at', []],
    ['a bound of another column', '/messages?sent_at=lt.a&order=id', undefined],
    ['a bound and another filter', '/messages?sent_at=lt.a&owner=eq.b&order=sent_at', undefined],
  ])('%s', (_name, url, expected) => {
    expect(comparisons(url)).toEqual(expected);
  });
});
