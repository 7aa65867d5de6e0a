/** The pages that need a session, in one chunk. Separate chunks would split the code that the first load shares. */
export { GuestAside } from '../guest/aside.tsx';
export { WalletChoice } from '../methods/wallet-choice.tsx';
export { ConsentPage } from './consent.tsx';
export { MfaPage } from './mfa.tsx';
export { NewPasswordPage } from './new-password.tsx';
export { SecurityPage } from './security.tsx';
export { SignedOutMore } from './signed-out-more.tsx';
export { UpgradePage } from './upgrade.tsx';
