/** Opens the database scope for signed requests, and rejects secret keys in browsers. */
import type { FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import type { Operation } from '../operations.ts';
import { openScopeAs, type Scope } from '../scope.ts';
import type { Signatory } from './authenticate.ts';
import { S3Error } from './errors.ts';

/**
 * Opens the database scope for the signer of a request.
 * @throws {S3Error} SecretKeyInBrowser
 * @throws {StorageError} AccessDenied
 */
export async function openSignedScope(
  ctx: StorageContext,
  request: FastifyRequest,
  operation: Operation,
  signatory: Signatory,
): Promise<Scope> {
  const { token } = signatory;
  if (token !== undefined) await ctx.keys.prepare(`Bearer ${token}`);
  const scope = openScopeAs(ctx, request, operation, token);
  if (!request.mayUseSecretKeys && showsSecretKey(ctx, scope, signatory))
    throw new S3Error('SecretKeyInBrowser');
  return scope;
}

/**
 * Whether the request proves that its sender has a secret key. A signer who uses the key pair knows the key pair's
 * secret, and a service role token is itself a secret key. URLs that were presigned with the key pair aren't proof,
 * because servers create such URLs for their pages. If the key pair is publicly known, such a URL is proof, because the
 * page may have created the URL itself.
 */
function showsSecretKey(
  { keys }: StorageContext,
  { role }: Scope,
  { token, isPresigned }: Signatory,
): boolean {
  if (role !== 'service_role') return false;
  return token !== undefined || !isPresigned || keys.s3.isWellKnown;
}
