/**
 * `<auth-org-switcher>`, with the property `supabase`: lists the user’s organizations and switches the session. Needs the
 * migration of `plinth organizations init`. Dispatches `switched`.
 */
import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { messageOf, texts } from '../core/messages';
import { currentOrganization, listOrganizations, switchOrganization } from '../core/organizations';
import { AuthElement, define, h } from './dom';

class OrgSwitcherElement extends AuthElement {
  protected start(supabase: SupabaseClient): () => void {
    let userId: string | undefined;
    const error = h('span', { class: 'auth-error', role: 'alert' });
    const select = h('select', {
      change: async () => {
        select.disabled = true;
        error.textContent = '';
        try {
          await switchOrganization(supabase, select.value === '' ? null : select.value);
          this.dispatchEvent(new CustomEvent('switched', { bubbles: true }));
        } catch (failure) {
          error.textContent = messageOf(failure as Error);
        } finally {
          select.disabled = false;
        }
      },
    });
    const box = h(
      'span',
      { class: 'auth-inline' },
      h('label', { class: 'auth-organization' }, texts.organization, select),
      error,
    );
    const load = async (session: Session) => {
      const id = session.user.id;
      userId = id;
      select.disabled = true;
      select.replaceChildren(h('option', { value: '' }, texts.personal));
      this.replaceChildren(box);
      try {
        const list = await listOrganizations(supabase, id);
        // Another user may have signed in while the list was loading.
        if (userId !== id) return;
        select.append(...list.map(({ id: value, name }) => h('option', { value }, name)));
        select.value = currentOrganization(session);
      } catch (failure) {
        error.textContent = messageOf(failure as Error);
      } finally {
        select.disabled = false;
      }
    };
    const { data } = supabase.auth.onAuthStateChange((_event, session) => {
      if (session === null) {
        userId = undefined;
        this.replaceChildren();
        return;
      }
      if (session.user.id === userId) {
        select.value = currentOrganization(session);
        return;
      }
      // The client must not be called in the handler itself.
      setTimeout(() => void load(session));
    });
    return () => data.subscription.unsubscribe();
  }
}

define('auth-org-switcher', OrgSwitcherElement);
