/** POST /token?grant_type=id_token. */
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { knownProviders } from './external.ts';

export function refuseIdToken(exchange: Exchange): Error {
  const body = exchange.body();
  const provider = body.text('provider');
  if (body.text('id_token') === '') return authError('validation_failed', 'id_token required');
  if (provider === '' && (body.text('client_id') === '' || body.text('issuer') === '')) {
    return authError('validation_failed', 'provider or client_id and issuer required');
  }
  if (knownProviders.has(provider)) {
    return authError('provider_disabled', `Provider (issuer "${body.text('issuer')}") is not enabled`);
  }
  return authError('validation_failed', `Custom OIDC provider "${provider}" not allowed`);
}
