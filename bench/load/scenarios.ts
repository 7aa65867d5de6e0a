/** The kinds of REST requests that `rest-peers.ts` compares, each for every server and as a bare statement. */
import { sql } from '../../src/base/kernel/sql.ts';
import type { LoadRequest } from './client.ts';
import type { LimitJob } from './limit.ts';
import { someRows, wireText } from './requests.ts';
import { ROWS, subOf, TRASH, USERS, userOf } from './rows.ts';
import type { ServerFacts } from './server.ts';

export interface Scenario {
  /** The minimum ratio of the prepared Fastify server's CPU time to Plinth's. */
  readonly bar: number | undefined;
  /** The minimum share of the CPU time that PostgreSQL needs for the bare statement. */
  readonly effBar: number | undefined;
  /** `turn` is the number of the measurement, so that each measurement can use other rows. */
  readonly plinth: (facts: ServerFacts, turn: number) => LoadRequest[];
  readonly fastify: (facts: ServerFacts, turn: number) => LoadRequest[];
  readonly postgraphile?: (facts: ServerFacts) => LoadRequest[];
  readonly limit: (index: number, turn: number) => LimitJob;
}

const REQUESTS = 1000;
/** The number of rows that one measurement can delete. */
const DELETES = 15_000;
const BULK = 1000;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly prefer?: string;
  readonly rows: number;
  readonly status?: number;
}

function request({ owner, token }: { owner: string; token: string }, call: Call): LoadRequest {
  const body = call.body === undefined ? '' : JSON.stringify(call.body);
  const headers = {
    apikey: token,
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'x-client-info': 'supabase-js-node/2',
    ...(call.prefer === undefined ? {} : { prefer: call.prefer }),
    ...(body === ''
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  };
  const { rows, status = 200 } = call;
  return { text: wireText(call.method, call.path, headers, body), owner, rows, status };
}

const requests =
  (callOf: (id: number, index: number) => Call, count = REQUESTS) =>
  (facts: ServerFacts): LoadRequest[] =>
    someRows(facts, count).map((row, index) => request(row, callOf(row.id, index)));

/** Each request deletes another row of the caller. */
const deletes =
  (callOf: (id: number) => Call) =>
  ({ tokens }: ServerFacts, turn: number): LoadRequest[] =>
    Array.from({ length: DELETES }, (_, index) => {
      const id = (turn * DELETES + index) % TRASH;
      return request({ owner: subOf(userOf(id)), token: tokens[userOf(id)] ?? '' }, callOf(id));
    });

const idAt = (index: number): number => 1 + ((index * 7919) % (ROWS - 1));
const subAt = (index: number): string => subOf(userOf(idAt(index)));
const note = (id: number) => ({ title: `Note with number ${id}`, done: id % 3 === 0 });
const bulk = Array.from({ length: BULK }, (_, index) => note(index));
const bulkText = JSON.stringify(bulk);
const columns = sql.raw('id, owner, title, done, created_at');

const GRAPHQL = 'query Item($id: Int!) { itemByRowId(rowId: $id) { rowId owner title done createdAt } }';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'read by id': {
    bar: 3,
    effBar: 0.7,
    plinth: requests((id) => ({ method: 'GET', path: `/rest/v1/items?select=*&id=eq.${id}`, rows: 1 })),
    fastify: requests((id) => ({ method: 'GET', path: `/items/${id}`, rows: 1 })),
    postgraphile: requests((id) => ({
      method: 'POST',
      path: '/graphql',
      body: { query: GRAPHQL, variables: { id } },
      rows: 1,
    })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`select row_to_json(t)::text from (select ${columns} from items where id = ${idAt(index)}) t`,
    }),
  },
  'list of 20 with a filter': {
    bar: 2.7,
    effBar: 0.65,
    plinth: requests(() => ({
      method: 'GET',
      path: '/rest/v1/items?select=*&done=eq.false&order=id&limit=20',
      rows: 20,
    })),
    fastify: requests(() => ({ method: 'GET', path: '/items?done=false', rows: 20 })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`select row_to_json(t)::text from (select ${columns} from items where done = false order by id limit 20) t`,
    }),
  },
  'list of 20 with an embed': {
    bar: undefined,
    effBar: 0.65,
    plinth: requests(() => ({
      method: 'GET',
      path: '/rest/v1/items?select=id,owner,title,people(id,name)&order=id&limit=20',
      rows: 20,
    })),
    fastify: requests(() => ({ method: 'GET', path: '/items-with-people', rows: 20 })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`select row_to_json(t)::text from (select i.id, i.owner, i.title, row_to_json(p) as people
        from items i join (select id, name from people) p on p.id = i.owner order by i.id limit 20) t`,
    }),
  },
  insert: {
    bar: 1.5,
    effBar: 0.6,
    plinth: requests((id) => ({
      method: 'POST',
      path: '/rest/v1/notes?select=*',
      body: note(id),
      prefer: 'return=representation',
      rows: 1,
      status: 201,
    })),
    fastify: requests((id) => ({ method: 'POST', path: '/notes', body: note(id), rows: 1, status: 201 })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`with t as (insert into notes (title, done) values (${note(index).title}, ${note(index).done})
        returning ${columns}) select row_to_json(t)::text from t`,
    }),
  },
  update: {
    bar: 1.5,
    effBar: 0.6,
    plinth: requests((id) => ({
      method: 'PATCH',
      path: `/rest/v1/notes?id=eq.${id}`,
      body: { title: note(id).title },
      prefer: 'return=minimal',
      rows: 0,
      status: 204,
    })),
    fastify: requests((id) => ({
      method: 'PATCH',
      path: `/notes/${id}`,
      body: { title: note(id).title },
      rows: 0,
      status: 204,
    })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`update notes set title = ${note(index).title} where id = ${idAt(index)}`,
    }),
  },
  upsert: {
    bar: 1.5,
    effBar: 0.6,
    plinth: requests((id) => ({
      method: 'POST',
      path: '/rest/v1/notes',
      body: { id, ...note(id) },
      prefer: 'resolution=merge-duplicates,return=minimal',
      rows: 0,
    })),
    fastify: requests((id) => ({
      method: 'PUT',
      path: `/notes/${id}`,
      body: note(id),
      rows: 0,
      status: 204,
    })),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`insert into notes (id, title, done)
        values (${idAt(index)}, ${note(index).title}, ${note(index).done})
        on conflict (id) do update set title = excluded.title, done = excluded.done`,
    }),
  },
  delete: {
    bar: 1.5,
    effBar: 0.6,
    plinth: deletes((id) => ({
      method: 'DELETE',
      path: `/rest/v1/trash?id=eq.${id}`,
      prefer: 'return=minimal',
      rows: 0,
      status: 204,
    })),
    fastify: deletes((id) => ({ method: 'DELETE', path: `/trash/${id}`, rows: 0, status: 204 })),
    limit: (index, turn) => {
      const id = (turn * DELETES + index) % TRASH;
      return { sub: subOf(userOf(id)), statement: sql`delete from trash where id = ${id}` };
    },
  },
  [`insert of ${BULK} rows`]: {
    bar: undefined,
    effBar: 0.85,
    plinth: requests(
      () => ({
        method: 'POST',
        path: '/rest/v1/notes?columns=%22title%22%2C%22done%22',
        body: bulk,
        prefer: 'return=minimal',
        rows: 0,
        status: 201,
      }),
      USERS,
    ),
    fastify: requests(
      () => ({ method: 'POST', path: '/notes-in-bulk', body: bulk, rows: 0, status: 201 }),
      USERS,
    ),
    limit: (index) => ({
      sub: subAt(index),
      statement: sql`insert into notes (title, done)
        select title, done from json_to_recordset(${bulkText}::text::json) as t (title text, done boolean)`,
    }),
  },
};
