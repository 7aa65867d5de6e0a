/** Shows the dialog that confirms the operator's identity while a request waits for the confirmation. */
import { Suspense } from 'react';
import { usePendingConfirmation } from '../api/identity.ts';
import { lazyPart } from '../components/lazy-part.ts';

const ConfirmIdentity = lazyPart(() => import('../features/operators/confirm-identity.tsx'));

export function IdentityDialog() {
  const pending = usePendingConfirmation();
  if (pending === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmIdentity onSettled={pending.settle} />
    </Suspense>
  );
}
