/** Queries for the keys page. */
import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type {
  ApiKey,
  KeysOverview as Keys,
  SigningKey,
} from '../../../../src/pages/console/keys/contract.ts';

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => fetchConsole('GET /keys', { signal }),
});

export type SecretName = 'secret' | 'service_role' | 'jwt_secret';

export const reveal = async (name: SecretName): Promise<string> =>
  (await fetchConsole('POST /keys/reveal', { body: { name } })).value;
