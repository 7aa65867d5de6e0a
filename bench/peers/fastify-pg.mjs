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
const app = Fastify({ logger: false });

app.get('/items/:id', async (request) => {
  const { text, role } = claimsOf(request.headers.authorization);
  const client = await pool.connect();
  try {
    await client.query('begin read only');
    await client.query({
      ...named('settings'),
      text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`,
      values: [role, text],
    });
    const { rows } = await client.query({
      ...named('item'),
      text: 'select id, owner, title, done, created_at from items where id = $1',
      values: [request.params.id],
    });
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

await app.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: app.server.address().port });
