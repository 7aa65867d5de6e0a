export const messages = {
  // general
  'error.network': 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  'error.key-canceled':
    'Es wurde kein Passkey oder Sicherheitsschlüssel verwendet. Versuchen Sie es erneut. Wenn dieses Gerät keinen Schlüssel für diese Website hat, wählen Sie eine andere Methode.',
  'error.key-not-added':
    'Es wurde kein Schlüssel hinzugefügt. Versuchen Sie es erneut. Wenn dieses Gerät keinen Schlüssel für diese Website speichern kann, verwenden Sie ein anderes Gerät.',
  'error.key-known':
    'Dieses Gerät hat bereits einen Sicherheitsschlüssel für Ihr Konto. Verwenden Sie diesen Schlüssel.',
  'error.other': 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  'error.unknown': 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  'error.unexpected_failure': 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  'error.validation_failed': 'Einige Angaben sind ungültig. Prüfen Sie Ihre Eingaben.',
  'error.bad_json': 'Die Anfrage war unvollständig. Versuchen Sie es erneut.',
  'error.conflict': 'Jemand anderes hat dieselben Daten gleichzeitig geändert. Versuchen Sie es erneut.',
  'error.request_timeout': 'Die Anfrage hat zu lange gedauert. Versuchen Sie es erneut.',
  'error.request_entity_too_large':
    'Der eingegebene Text ist zu lang. Kürzen Sie ihn und versuchen Sie es erneut.',
  'error.feature_disabled': 'Diese Funktion ist hier nicht verfügbar. Wählen Sie eine andere Möglichkeit.',

  // token, user
  'error.bad_jwt': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.not_admin': 'Das können nur Administratoren. Bitten Sie einen Administrator um Hilfe.',
  'error.no_authorization': 'Sie sind nicht angemeldet. Melden Sie sich zuerst an.',
  'error.not_signed_in': 'Sie sind nicht angemeldet. Melden Sie sich zuerst an.',
  'error.user_not_found': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.user_banned': 'Dieses Konto ist gesperrt. Wenden Sie sich an den Support.',
  'error.session_not_kept':
    'Dieser Browser hat Ihre Anmeldung nicht gespeichert. Lassen Sie Cookies für diese Website zu und melden Sie sich erneut an.',
  'error.session_not_found':
    'Sie wurden hier oder auf einem anderen Gerät abgemeldet. Melden Sie sich erneut an.',
  'error.session_expired': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.refresh_token_not_found': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.refresh_token_already_used': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.unexpected_audience': 'Ihre Sitzung gehört zu einem anderen Dienst. Melden Sie sich erneut an.',
  'error.invalid_credentials':
    'Das Passwort ist falsch, oder dieses Konto hat keines. Versuchen Sie es erneut oder lassen Sie sich einen Code per E‑Mail senden, wenn Sie sich sonst anders anmelden.',
  'error.insufficient_aal':
    'Diese Aktion erfordert einen zweiten Schritt. Bestätigen Sie zuerst mit Ihrer Authenticator-App, dass Sie es sind.',

  // sign-up, email, phone
  'error.signup_disabled':
    'Zurzeit können keine neuen Konten erstellt werden. Wenn Sie bereits ein Konto haben, melden Sie sich an.',
  'error.user_already_exists':
    'Mit dieser Adresse können Sie kein Konto erstellen. Wenn es Ihre Adresse ist, melden Sie sich stattdessen an.',
  'error.email_exists': 'Diese Adresse kann nicht verwendet werden. Geben Sie eine andere ein.',
  'error.phone_exists': 'Diese Nummer kann nicht verwendet werden. Geben Sie eine andere ein.',
  'error.email_provider_disabled':
    'Die Anmeldung per E‑Mail ist deaktiviert. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.phone_provider_disabled':
    'Die Anmeldung per Telefon ist deaktiviert. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.anonymous_provider_disabled':
    'Gastkonten sind deaktiviert. Melden Sie sich an oder erstellen Sie ein Konto.',
  'error.device_not_confirmed':
    'Sie haben sich auf diesem Gerät noch nie angemeldet. Melden Sie sich mit dem Code an, den wir Ihnen per E‑Mail gesendet haben.',
  'error.email_not_confirmed':
    'Diese Adresse ist noch nicht bestätigt. Öffnen Sie unsere E‑Mail oder fordern Sie einen neuen Code an.',
  'error.phone_not_confirmed':
    'Diese Telefonnummer ist noch nicht bestätigt. Fordern Sie einen neuen Code an.',
  'error.email_address_not_authorized':
    'An diese Adresse können wir noch keine E‑Mails senden. Geben Sie eine andere ein.',
  'error.email_address_invalid':
    'An diese Adresse können wir keine E‑Mails senden. Prüfen Sie sie auf Fehler.',
  'error.email_address_not_provided':
    'Der andere Dienst hat Ihre E‑Mail-Adresse nicht übermittelt. Erlauben Sie die Weitergabe oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.invite_not_found': 'Diese Einladung ist ungültig oder abgelaufen. Bitten Sie um eine neue.',
  'error.otp_expired':
    'Der Code ist falsch oder abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an. Nach fünf falschen Eingaben funktioniert nur noch ein neuer Code.',
  'error.otp_disabled':
    'Wir können keinen Code senden. Wenn Sie noch kein Konto haben, erstellen Sie zuerst eines.',
  'error.sms_send_failed':
    'Wir konnten die SMS nicht senden. Prüfen Sie die Nummer und versuchen Sie es gleich noch einmal.',

  // password
  'error.weak_password': 'Dieses Passwort ist zu schwach. Beachten Sie die Anforderungen unten.',
  'error.weak_password-leaked': 'Dieses Passwort ist in einem Datenleck aufgetaucht. Wählen Sie ein anderes.',
  'error.same_password': 'Das ist Ihr aktuelles Passwort. Wählen Sie ein anderes.',
  'error.reauthentication_needed':
    'Ihre Anmeldung liegt schon länger zurück. Melden Sie sich erneut an und versuchen Sie es dann noch einmal.',
  'error.reauthentication_not_valid': 'Der Code ist falsch oder abgelaufen. Fordern Sie einen neuen an.',
  'error.current_password_invalid':
    'Das aktuelle Passwort ist falsch. Prüfen Sie es und versuchen Sie es erneut.',
  'error.current_password_required':
    'Ihr aktuelles Passwort fehlt. Geben Sie es ein, um diese Änderung vorzunehmen.',

  // limits
  'error.overloaded': 'Der Server erhält gerade zu viele Anfragen. Versuchen Sie es gleich noch einmal.',
  'error.over_request_rate_limit':
    'Es gab zu viele Versuche, möglicherweise durch jemand anderen. Warten Sie vor dem nächsten Versuch oder melden Sie sich auf andere Weise an, etwa mit einem Code per E‑Mail.',
  'error.over_email_send_rate_limit':
    'Wir haben gerade eine E‑Mail gesendet. Warten Sie einen Moment, bevor Sie eine weitere anfordern.',
  'error.over_sms_send_rate_limit':
    'Wir haben gerade eine SMS gesendet. Warten Sie einen Moment, bevor Sie eine weitere anfordern.',
  'error.captcha_failed':
    'Wir konnten nicht feststellen, dass Sie ein Mensch sind. Laden Sie die Seite neu und versuchen Sie es erneut.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie in der App von vorn.',
  'error.flow_state_expired': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie in der App von vorn.',
  'error.flow_state_already_used':
    'Diese Anmeldeanfrage wurde bereits verwendet. Beginnen Sie in der App von vorn.',
  'error.oauth_client_state_not_found': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie von vorn.',
  'error.oauth_client_state_expired': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie von vorn.',
  'error.oauth_invalid_state':
    'Diese Anmeldung wurde in einem anderen Browser begonnen. Beginnen Sie in diesem Browser von vorn.',
  'error.bad_oauth_state':
    'Diese Anmeldung wurde in einem anderen Browser begonnen. Beginnen Sie in diesem Browser von vorn.',
  'error.bad_oauth_callback':
    'Der andere Dienst hat unvollständig geantwortet. Beginnen Sie von vorn oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.bad_code_verifier':
    'Diese Anmeldung wurde in einer anderen App oder einem anderen Browser begonnen. Beginnen Sie in der App von vorn.',
  'error.oauth_provider_not_supported':
    'Diese Anmeldemöglichkeit ist nicht verfügbar. Wählen Sie eine andere.',
  'error.provider_disabled': 'Diese Anmeldemöglichkeit ist deaktiviert. Wählen Sie eine andere.',
  'error.provider_email_needs_verification':
    'Der andere Dienst hat Ihre E‑Mail-Adresse nicht bestätigt. Wenn Sie eine E‑Mail von uns erhalten haben, öffnen Sie sie, um die Adresse zu bestätigen. Andernfalls bestätigen Sie die Adresse beim anderen Dienst und versuchen es erneut.',
  'error.web3_provider_disabled':
    'Die Anmeldung mit Wallets ist deaktiviert. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.web3_unsupported_chain':
    'Wallets in diesem Netzwerk werden nicht unterstützt. Wählen Sie eine andere Wallet.',
  'error.custom_provider_not_found': 'Diese Anmeldemöglichkeit gibt es nicht mehr. Wählen Sie eine andere.',
  'error.over_custom_provider_quota':
    'Die maximale Anzahl eigener Anmeldemöglichkeiten ist erreicht. Entfernen Sie eine, bevor Sie eine weitere hinzufügen.',

  // identities
  'error.identity_not_found': 'Dieses Konto ist nicht mehr verknüpft. Laden Sie die Seite neu.',
  'error.identity_already_exists':
    'Dieses Konto ist bereits verknüpft. Melden Sie sich damit an, um zu sehen, zu welchem Nutzer es gehört.',
  'error.single_identity_not_deletable':
    'Ihre einzige Anmeldemöglichkeit können Sie nicht entfernen. Fügen Sie zuerst eine andere hinzu.',
  'error.email_conflict_identity_not_deletable':
    'Wenn Sie die Verknüpfung mit diesem Konto aufheben, würde Ihre E‑Mail-Adresse auf eine Adresse geändert, die ein anderer Nutzer hat. Ändern Sie zuerst Ihre E‑Mail-Adresse oder heben Sie die Verknüpfung mit dem anderen Konto auf.',
  'error.manual_linking_disabled':
    'Hier können Sie keine Konten verknüpfen. Melden Sie sich mit einem bereits verknüpften Konto an.',

  // SSO
  'error.user_sso_managed':
    'Ihre Organisation verwaltet dieses Konto. Bitten Sie deren Administrator, diese Änderung vorzunehmen.',
  'error.sso_failed':
    'Die Anmeldung über Ihre Organisation ist fehlgeschlagen. Versuchen Sie es erneut oder wenden Sie sich an deren Administrator.',
  'error.sso_required':
    'Ihre Organisation verlangt Single Sign-On für diese E‑Mail-Adresse. Melden Sie sich mit SSO an.',
  'error.sso_not_allowed':
    'Ihre Organisation lässt die Anmeldung dieses Kontos nicht zu. Wenden Sie sich an die Administration Ihrer Organisation.',
  'error.sso_provider_not_found':
    'Für diese Domain ist kein Single Sign-On eingerichtet. Prüfen Sie die Domain oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.sso_provider_disabled':
    'Das Single Sign-On Ihrer Organisation ist deaktiviert. Wenden Sie sich an deren Administrator.',
  'error.sso_domain_already_exists':
    'Für diese Domain gibt es bereits Single Sign-On. Wählen Sie eine andere Domain.',
  'error.saml_provider_disabled':
    'Single Sign-On ist deaktiviert. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.saml_relay_state_not_found': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie von vorn.',
  'error.saml_relay_state_expired': 'Dieser Anmeldevorgang ist abgelaufen. Beginnen Sie von vorn.',
  'error.saml_idp_not_found':
    'Ihre Organisation ist nicht mit diesem Dienst verbunden. Wenden Sie sich an deren Administrator.',
  'error.saml_idp_already_exists':
    'Diese Organisation ist bereits verbunden. Ändern Sie die bestehende Verbindung.',
  'error.saml_assertion_no_user_id':
    'Ihre Organisation hat keine Nutzerkennung gesendet. Wenden Sie sich an deren Administrator.',
  'error.saml_assertion_no_email':
    'Ihre Organisation hat Ihre E‑Mail-Adresse nicht gesendet. Wenden Sie sich an deren Administrator.',
  'error.saml_metadata_fetch_failed':
    'Der Single-Sign-On-Dienst Ihrer Organisation ist nicht erreichbar. Versuchen Sie es später erneut.',
  'error.saml_entity_id_mismatch':
    'Die Antwort kam nicht von dem Anmeldedienst, der für Ihre Organisation eingerichtet ist. Wenden Sie sich an deren Administrator.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Sie haben die maximale Anzahl zweiter Schritte erreicht. Entfernen Sie einen, bevor Sie einen weiteren hinzufügen.',
  'error.mfa_factor_name_conflict':
    'Sie haben bereits einen Authenticator mit diesem Namen. Wählen Sie einen anderen Namen.',
  'error.mfa_factor_not_found': 'Diesen Authenticator gibt es nicht mehr. Laden Sie die Seite neu.',
  'error.mfa_ip_address_mismatch':
    'Ihr Netzwerk hat sich geändert. Geben Sie den Code ein, den Ihre App jetzt anzeigt.',
  'error.mfa_challenge_expired':
    'Die Anfrage ist abgelaufen. Geben Sie den Code ein, den Ihre App jetzt anzeigt.',
  'error.mfa_verification_failed': 'Der Code ist falsch. Geben Sie den Code ein, den Ihre App jetzt anzeigt.',
  'error.mfa_verification_rejected': 'Der Code wurde abgelehnt. Melden Sie sich erneut an.',
  'error.mfa_verified_factor_exists':
    'Ein zweiter Schritt dieser Art ist bereits eingerichtet. Entfernen Sie ihn, bevor Sie einen neuen einrichten.',
  'error.mfa_phone_enroll_not_enabled':
    'Telefone können hier nicht als zweiter Schritt hinzugefügt werden. Wählen Sie einen anderen zweiten Schritt.',
  'error.mfa_phone_verify_not_enabled':
    'Telefone können hier nicht als zweiter Schritt verwendet werden. Wählen Sie einen anderen zweiten Schritt.',
  'error.mfa_totp_enroll_not_enabled':
    'Authenticator-Apps können hier nicht hinzugefügt werden. Wählen Sie einen anderen zweiten Schritt.',
  'error.mfa_totp_verify_not_enabled':
    'Authenticator-Apps können hier nicht verwendet werden. Wählen Sie einen anderen zweiten Schritt.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Sicherheitsschlüssel können hier nicht hinzugefügt werden. Wählen Sie einen anderen zweiten Schritt.',
  'error.mfa_webauthn_verify_not_enabled':
    'Sicherheitsschlüssel können hier nicht verwendet werden. Wählen Sie einen anderen zweiten Schritt.',

  // passkeys
  'error.passkey_disabled': 'Passkeys sind deaktiviert. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.too_many_passkeys':
    'Sie haben die maximale Anzahl an Passkeys erreicht. Entfernen Sie einen, bevor Sie einen weiteren hinzufügen.',
  'error.webauthn_credential_not_found':
    'Dieser Passkey kann hier nicht verwendet werden. Wählen Sie eine andere Anmeldemöglichkeit.',
  'error.webauthn_credential_exists':
    'Dieses Gerät hat bereits einen Passkey für Ihr Konto. Verwenden Sie diesen Passkey.',
  'error.webauthn_challenge_not_found': 'Diese Anfrage wurde bereits verwendet. Versuchen Sie es erneut.',
  'error.webauthn_challenge_expired': 'Die Anfrage ist abgelaufen. Versuchen Sie es erneut.',
  'error.webauthn_verification_failed':
    'Der Passkey konnte nicht überprüft werden. Versuchen Sie es erneut oder wählen Sie eine andere Methode.',

  // OAuth server
  'error.oauth_client_not_found':
    'Diese App ist hier nicht mehr registriert. Wenden Sie sich an den Support der App.',
  'error.oauth_authorization_not_found':
    'Diese Anfrage ist abgelaufen oder gehört zu einem anderen Konto. Gehen Sie zurück zur App und beginnen Sie von vorn.',
  'error.oauth_consent_not_found': 'Diese App hat keinen Zugriff mehr. Laden Sie die Seite neu.',
  'error.oauth_dynamic_client_registration_disabled':
    'Apps können sich hier nicht selbst registrieren. Wenden Sie sich an den Support.',

  // hooks
  'error.hook_timeout': 'Eine erforderliche Prüfung hat zu lange gedauert. Versuchen Sie es erneut.',
  'error.hook_timeout_after_retry':
    'Eine erforderliche Prüfung hat zu lange gedauert. Versuchen Sie es erneut.',
  'error.hook_payload_over_size_limit':
    'Eine erforderliche Prüfung konnte nicht abgeschlossen werden. Wenden Sie sich an den Support.',
  'error.hook_payload_invalid_content_type':
    'Eine erforderliche Prüfung konnte nicht abgeschlossen werden. Wenden Sie sich an den Support.',

  // /account/api
  'error.factor_required':
    'Dieser Dienst erfordert die Zwei-Schritt-Verifizierung. Öffnen Sie Ihr Konto in einem Browser mit aktiviertem JavaScript, um sie einzurichten.',
  'error.access_denied':
    'Sie haben die Anmeldung beim anderen Dienst abgebrochen. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.redirect_not_allowed':
    'Sie sind angemeldet, aber die Adresse der App ist hier nicht zugelassen. Wenden Sie sich an den Support der App.',
  'error.pkce_required':
    'Die Anmeldeanfrage der App ist unvollständig. Wenden Sie sich an den Support der App.',
  'error.bad_code_challenge':
    'Die Anmeldeanfrage der App ist unvollständig. Wenden Sie sich an den Support der App.',
  'error.not_same_origin':
    'Die Anfrage kam nicht von dieser Seite. Laden Sie die Seite neu und versuchen Sie es erneut.',
  'error.wallet-refused':
    'Die Wallet hat die Anfrage nicht signiert. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.wallet_refused':
    'Die Signatur der Wallet wurde nicht akzeptiert. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemöglichkeit.',
  'error.not_a_guest': 'Sie verwenden kein Gastkonto. Laden Sie die Seite neu.',
  'error.hand_over_off':
    'Ihre Gastdaten können nicht in dieses Konto übernommen werden. Melden Sie sich ohne sie an oder verwenden Sie eine andere Adresse.',
  'error.hand_over_failed':
    'Ihre Gastdaten konnten nicht übernommen werden, und nichts wurde geändert. Versuchen Sie es erneut oder gehen Sie zurück zum Gastkonto.',
  'error.guest_gone': 'Das Gastkonto gibt es nicht mehr. Fahren Sie mit Ihrem Konto fort.',
  'error.sign_in_stale':
    'Ihre Anmeldung liegt schon länger zurück. Melden Sie sich erneut an, um Ihre Gastdaten zu übernehmen.',
  'error.consent_answered': 'Sie haben diese Anfrage bereits beantwortet. Gehen Sie zurück zur App.',

  // the session module
  'error.jwks_empty': 'Der Server kann Ihre Sitzung gerade nicht überprüfen. Versuchen Sie es später erneut.',
  'error.no_matching_key': 'Die Signaturschlüssel des Servers haben sich geändert. Laden Sie die Seite neu.',
  'error.bad_signature': 'Ihre Sitzung konnte nicht überprüft werden. Melden Sie sich erneut an.',
  'error.expired':
    'Ihre Sitzung ist abgelaufen. Wenn Sie sich gerade erst angemeldet haben, prüfen Sie die Uhrzeit dieses Geräts.',
  'error.missing_exp': 'Ihre Sitzung konnte nicht überprüft werden. Melden Sie sich erneut an.',
  'error.bad_algorithm': 'Ihre Sitzung konnte nicht überprüft werden. Melden Sie sich erneut an.',
  'error.url_and_key_required':
    'Diese Seite ist nicht vollständig eingerichtet. Wenden Sie sich an den Support.',

  // organizations, whose functions belong to the project
  'error.account_required':
    'Gäste können Organisationen nicht nutzen. Sichern Sie Ihr Konto oder melden Sie sich zuerst an.',
  'error.already_member': 'Dieses Konto ist bereits Mitglied. Es wurde nichts geändert.',
  'error.invalid_input': 'Einige Angaben sind ungültig. Prüfen Sie Ihre Eingaben.',
  'error.invitation_expired': 'Diese Einladung ist abgelaufen. Bitten Sie um eine neue.',
  'error.invitation_for_other_email':
    'Diese Einladung gilt für eine andere E‑Mail-Adresse. Melden Sie sich mit dieser Adresse an und bestätigen Sie sie.',
  'error.invitation_not_found': 'Diese Einladung gibt es nicht mehr. Bitten Sie um eine neue.',
  'error.invitation_used': 'Diese Einladung wurde bereits verwendet. Bitten Sie um eine neue.',
  'error.last_owner':
    'Eine Organisation braucht einen Inhaber. Machen Sie zuerst ein anderes Mitglied zum Inhaber oder löschen Sie die Organisation.',
  'error.limit_reached':
    'Das Limit ist erreicht. Löschen Sie, was Sie nicht mehr brauchen, und versuchen Sie es erneut.',
  'error.member_not_found': 'Diese Person ist kein Mitglied mehr. Laden Sie die Seite neu.',
  'error.not_allowed': 'Ihre Rolle erlaubt das nicht. Bitten Sie einen Inhaber um Hilfe.',
  'error.organization_not_found':
    'Eine solche Organisation wurde nicht gefunden. Prüfen Sie Ihre Eingabe und fragen Sie ein Mitglied, ob die Organisation Anfragen annimmt.',
  'error.request_not_found':
    'Diese Anfrage wurde bereits beantwortet oder zurückgezogen. Laden Sie die Seite neu.',
  'error.role_not_found': 'Diese Rolle gibt es nicht mehr. Laden Sie die Seite neu.',
  'error.role_in_use':
    'Einige Mitglieder oder Einladungen haben diese Rolle. Geben Sie ihnen zuerst eine andere.',
  'error.role_taken': 'Eine andere Rolle hat einen ähnlichen Namen. Wählen Sie einen anderen Namen.',
  'error.session_required': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'error.slug_taken': 'Eine andere Organisation hat diesen Kurznamen. Wählen Sie einen anderen.',
};
