/** In whose name a signed request asks, and what web pages may not sign. */
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
 * Whoever signs with the pair has it, and a token of the service role is a secret key itself. What is presigned with the pair is not
 * the pair: a server hands it to its pages, unless everybody can make it.
 */
function showsSecretKey(
  { keys }: StorageService,
  { role }: Scope,
  { token, isPresigned }: Signatory,
): boolean {
  if (role !== 'service_role') return false;
  return token !== undefined || !isPresigned || keys.s3.isWellKnown;
}
