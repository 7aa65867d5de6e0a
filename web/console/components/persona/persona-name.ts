import { queryOptions, useQuery } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { parsePersona } from './persona.ts';
import { t } from './persona-text.ts';

/** Fetches the database identity of the persona in the URL. */
export const identityQuery = (as: string | undefined) =>
  queryOptions({
    queryKey: ['persona', as ?? 'operator'],
    queryFn: ({ signal }) =>
      fetchConsole('GET /personas/identity', { query: { as: as ?? 'operator' }, signal }),
    staleTime: 60_000,
    retry: false,
  });

/** The persona's display name, or a note if the user no longer exists. */
export function usePersonaName(as: string | undefined): string {
  const persona = parsePersona(as);
  const { data, error } = useQuery({ ...identityQuery(as), enabled: persona.kind === 'user' });
  switch (persona.kind) {
    case 'operator':
      return t('persona.operator');
    case 'anon':
      return t('persona.anon');
    case 'user':
      return data?.name ?? (error === null ? persona.id.slice(0, 8) : t('persona.gone'));
    case 'claims':
      return t('persona.claims-name', { name: String(persona.claims.sub ?? persona.claims.role) });
  }
}
