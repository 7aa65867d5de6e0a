/**
 * Runs PostGraphile 5 with its Amber preset, for comparison with Plinth. Each transaction sets the role and the claims.
 */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { claimsOf } from './token.mjs';

const { DB_HOST, DB_PORT, DB_NAME } = process.env;
const login = {
  host: DB_HOST,
  port: Number(DB_PORT),
  database: DB_NAME,
  user: 'peer',
  password: 'postgres',
};
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ poolConfig: { ...login, max: 10 }, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false, websockets: false },
  grafast: {
    explain: false,
    context({ node }) {
      const { text, role } = claimsOf(node?.req.headers.authorization);
      return { pgSettings: { role, 'request.jwt.claims': text } };
    },
  },
});
const server = createServer();
await pgl.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
