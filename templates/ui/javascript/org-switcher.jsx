'use client';
import { useEffect, useState } from 'react';
import { messageOf, texts } from './core/messages';
import { currentOrganization, listOrganizations, switchOrganization } from './core/organizations';
import { useSession } from './use-session';
/** Lists the user’s organizations and switches the session. Needs the migration of `plinth organizations init`. */
export function OrgSwitcher({ supabase, onSwitched }) {
  const session = useSession(supabase);
  const [organizations, setOrganizations] = useState();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState('');
  const userId = session?.user.id;
  useEffect(() => {
    let isCurrent = true;
    setOrganizations(undefined);
    if (userId === undefined) return;
    listOrganizations(supabase, userId).then(
      (list) => isCurrent && setOrganizations(list),
      (failure) => isCurrent && setError(messageOf(failure)),
    );
    return () => {
      isCurrent = false;
    };
  }, [supabase, userId]);
  if (!session) return null;
  async function change({ target }) {
    setIsBusy(true);
    setError('');
    try {
      await switchOrganization(supabase, target.value === '' ? null : target.value);
      onSwitched?.();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <span className="auth-inline">
      <label className="auth-organization">
        {texts.organization}
        <select
          value={currentOrganization(session)}
          disabled={isBusy || organizations === undefined}
          onChange={change}
        >
          <option value="">{texts.personal}</option>
          {organizations?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <span className="auth-error" role="alert">
        {error}
      </span>
    </span>
  );
}
