/** The database scope of signed requests, and the check for secret keys in browsers. */
import type { FastifyRequest } from 'fastify';
import type { Operation } from '../operations.ts';
import { openScopeAs, type Scope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import type { Signatory } from './authenticate.ts';
import { S3Error } from './errors.ts';

/** @throws {S3Error} SecretKeyInBrowser @throws {StorageError} AccessDenied */
export async function openSignedScope(
  service: StorageService,
  request: FastifyRequest,
  operation: Operation,
  signatory: Signatory,
): Promise<Scope> {
  const { token } = signatory;
  if (token !== undefined) await service.keys.prepare(`Bearer ${token}`);
  const scope = openScopeAs(service, request, operation, token);
  if (!request.mayUseSecretKeys && showsSecretKey(service, scope, signatory))
    throw new S3Error('SecretKeyInBrowser');
  return scope;
}

/**
 * A signer that uses the key pair owns it, and a service role token is itself a secret key. A URL presigned with the
 * key pair doesn't disclose the pair, because a server creates such URLs for its pages. A publicly known pair is the
 * exception.
 */
function showsSecretKey(
  { keys }: StorageService,
  { role }: Scope,
  { token, isPresigned }: Signatory,
): boolean {
  if (role !== 'service_role') return false;
  return token !== undefined || !isPresigned || keys.s3.isWellKnown;
}
