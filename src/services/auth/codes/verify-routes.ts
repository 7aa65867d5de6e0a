/** Declares GET and POST /verify, which accept links and typed codes. */

import type { Router } from '../http/route.ts';
import { renderSession } from '../sessions/issued-session.ts';
import { singleConfirmationAccepted } from './verify.ts';
import { verifyLink, verifyTypedCode } from './verify-operations.ts';

export function verifyRoutes({ serve }: Router): void {
  serve('POST', '/verify', verifyTypedCode, (session) =>
    session ? renderSession(session) : { msg: singleConfirmationAccepted, code: '200' },
  );
  serve(
    'GET',
    '/verify',
    verifyLink,
    (target, { reply }) => reply.redirect(target, 303),
    ({ query }) => ({ type: query.get('type') ?? '', hash: query.get('token') ?? '' }),
  );
}
