/**
 * The pages that require a session, in one chunk. With separate chunks, the code that these pages share with the
 * initial load would be split as well.
 */
export { GuestAside } from '../guest/aside.tsx';
export { WalletChoice } from '../methods/wallet-choice.tsx';
export { ConsentPage } from './consent.tsx';
export { MfaPage } from './mfa.tsx';
export { JoinPage, NewPasswordPage } from './new-password.tsx';
export { OrganizationPage } from './organization.tsx';
export { SecurityPage } from './security.tsx';
export { TwoStepPage } from './two-step.tsx';
export { UpgradePage } from './upgrade.tsx';
