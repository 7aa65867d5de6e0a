/** States of the pages for the API reference, keys, operators, the audit log, SSO and the inbox. */
import { registerClient } from '../../../src/pages/console/mcp/oauth/clients.ts';
import { packQuery } from '../../../src/pages/console/mcp/oauth/requests.ts';
import { openRow, press, type State } from '../state.ts';

const redirectUri = 'http://127.0.0.1:33418/callback';
const agentRequest = new URLSearchParams({
  response_type: 'code',
  client_id: registerClient({ client_name: 'Code Helper', redirect_uris: [redirectUri] }).client_id,
  redirect_uri: redirectUri,
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
  scope: 'read write',
});
const authorizePath = `/authorize?request=${packQuery(String(agentRequest))}`;

export const project: readonly State[] = [
  { name: 'reference', path: '/reference' },
  { name: 'reference-table', path: '/reference?table=orders' },
  { name: 'reference-insert', path: '/reference?table=orders&op=insert' },
  { name: 'reference-function', path: '/reference?fn=total_of' },
  {
    name: 'reference-tried',
    path: '/reference?table=orders',
    act: async (page) => {
      await page.getByLabel('Request: GET').press('Enter');
      await page.getByRole('region', { name: 'Response' }).waitFor();
    },
  },
  { name: 'keys', path: '/keys' },
  { name: 'keys-new', path: '/keys', act: press('Create key') },
  { name: 'keys-revoke', path: '/keys', act: press('Revoke Worker') },
  { name: 'agents', path: '/agents' },
  { name: 'authorize', path: authorizePath },
  { name: 'authorize-invalid', path: '/authorize?request=invalid' },
  { name: 'operators', path: '/operators' },
  { name: 'operators-invite', path: '/operators', act: press('Invite operator') },
  { name: 'operators-token', path: '/operators', act: press('Create token') },
  { name: 'operators-read-only', path: '/operators', as: 'looker' },
  { name: 'audit', path: '/audit' },
  { name: 'audit-none', path: '/audit?search=nothing-matches-this' },
  { name: 'undo', path: '/undo' },
  { name: 'undo-none', path: '/undo?table=nothing' },
  { name: 'sso', path: '/users/sso' },
  { name: 'sso-connection', path: '/users/sso', act: openRow('idp.example.com') },
  { name: 'sso-new', path: '/users/sso', act: press(/connection/) },
  { name: 'inbox', path: '/inbox' },
];
