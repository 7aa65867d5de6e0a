/** Reads and switches the organization of the session. Needs the migration of `plinth organizations init`. */
import type { Session, SupabaseClient } from '@supabase/supabase-js';

export interface Organization {
  readonly id: string;
  readonly name: string;
}

/** Lists the organizations of the signed-in user. Row level security limits the rows to those. */
export async function listOrganizations(supabase: SupabaseClient, userId: string): Promise<Organization[]> {
  const { data, error } = await supabase
    .from('organization_memberships')
    .select('organization:organizations(id, name)')
    .eq('user_id', userId);
  if (error) throw error;
  const rows = data as unknown as readonly { readonly organization: Organization }[];
  return rows.map(({ organization }) => organization).sort((a, b) => a.name.localeCompare(b.name));
}

/** Switches the session, and refreshes it, because access tokens contain the organization. */
export async function switchOrganization(supabase: SupabaseClient, id: string | null): Promise<void> {
  const { error } = await supabase.rpc('switch_organization', { organization_id: id });
  if (error) throw error;
  const refreshed = await supabase.auth.refreshSession();
  if (refreshed.error) throw refreshed.error;
}

/** Returns the ID of the organization in the session’s access token, or an empty string. */
export function currentOrganization({ access_token: token }: Session): string {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(atob(payload)) as { org_id?: unknown };
    return typeof claims.org_id === 'string' ? claims.org_id : '';
  } catch {
    return '';
  }
}
