/**
 * The pages that need a session, as one chunk: apart from each other they would tear apart what the first load shares.
 */
export { GuestAside } from '../guest/aside.tsx';
export { WalletChoice } from '../methods/wallet-choice.tsx';
export { ConsentPage } from './consent.tsx';
export { MfaPage } from './mfa.tsx';
export { NewPasswordPage } from './new-password.tsx';
export { SecurityPage } from './security.tsx';
export { SignedOutMore } from './signed-out-more.tsx';
export { UpgradePage } from './upgrade.tsx';
