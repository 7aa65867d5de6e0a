/**
 * Column names that suggest credentials or personal data. The list is based on upstream's rule
 * `sensitive_columns_exposed`.
 */
export const sensitiveNames: ReadonlySet<string> = new Set(
  `password passwd pwd passphrase secret secret_key private_key api_key apikey auth_key token jwt access_token
  refresh_token oauth_token session_token bearer_token auth_code session_id session_key session_secret recovery_code
  backup_code verification_code otp two_factor 2fa_secret 2fa_code ssn social_security social_security_number
  driver_license drivers_license license_number passport_number passport_id national_id tax_id credit_card card_number
  cvv cvc cvn bank_account account_number routing_number iban swift_code bic health_record medical_record patient_id
  insurance_number health_insurance medical_insurance treatment mac_address macaddr imei device_uuid pgp_key gpg_key
  ssh_key certificate license_key activation_key facial_recognition`.split(/\s+/),
);
