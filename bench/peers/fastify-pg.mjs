/**
 * Runs a handwritten server, which uses Fastify and pg, for comparison with Plinth. Each request is a transaction with
 * four round trips. With PREPARED=1, the server's statements have names, so PostgreSQL plans them once per connection.
 */
import Fastify from 'fastify';
import pg from 'pg';
import { claimsOf } from './token.mjs';

const { DB_HOST, DB_PORT, DB_NAME, PREPARED } = process.env;
const named = (name) => (PREPARED === '1' ? { name } : {});
const pool = new pg.Pool({
  host: DB_HOST,
  port: Number(DB_PORT),
  database: DB_NAME,
  user: 'peer',
  password: 'postgres',
  max: 10,
});
const app = Fastify({ logger: false, bodyLimit: 10 * 1024 * 1024 });

/** Runs one statement in a transaction with the caller's role and claims. */
async function run(request, name, text, values, access = 'read write') {
  const claims = claimsOf(request.headers.authorization);
  const client = await pool.connect();
  try {
    await client.query(`begin ${access}`);
    await client.query({
      ...named('settings'),
      text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
      values: [claims.role, claims.text],
    });
    const { rows } = await client.query({ ...named(name), text, values });
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const ITEM = 'select id, owner, title, done, created_at from items';
const read = (name, text, valuesOf) => (request) => run(request, name, text, valuesOf(request), 'read only');

app.get(
  '/items/:id',
  read('item', `${ITEM} where id = $1`, ({ params }) => [params.id]),
);
app.get(
  '/items',
  read('items', `${ITEM} where done = $1 order by id limit 20`, ({ query }) => [query.done]),
);
app.get(
  '/items-with-people',
  read(
    'embedded',
    `select i.id, i.owner, i.title, row_to_json(p) as people
     from items i join (select id, name from people) p on p.id = i.owner order by i.id limit 20`,
    () => [],
  ),
);

app.post('/notes', async (request, reply) => {
  const { title, done } = request.body;
  reply.code(201);
  const text = 'insert into notes (title, done) values ($1, $2) returning id, owner, title, done, created_at';
  return run(request, 'insert', text, [title, done]);
});
app.post('/notes-in-bulk', async (request, reply) => {
  const text = `insert into notes (title, done)
    select title, done from json_to_recordset($1) as t (title text, done boolean)`;
  await run(request, 'bulk', text, [JSON.stringify(request.body)]);
  reply.code(201).send();
});
app.patch('/notes/:id', async (request, reply) => {
  const { title } = request.body;
  await run(request, 'update', 'update notes set title = $1 where id = $2', [title, request.params.id]);
  reply.code(204).send();
});
app.put('/notes/:id', async (request, reply) => {
  const { title, done } = request.body;
  const text = `insert into notes (id, title, done) values ($1, $2, $3)
    on conflict (id) do update set title = excluded.title, done = excluded.done`;
  await run(request, 'upsert', text, [request.params.id, title, done]);
  reply.code(204).send();
});
app.delete('/trash/:id', async (request, reply) => {
  await run(request, 'delete', 'delete from trash where id = $1', [request.params.id]);
  reply.code(204).send();
});

await app.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: app.server.address().port });
