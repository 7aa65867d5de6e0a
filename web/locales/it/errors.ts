export const messages = {
  // general
  'error.network': 'Impossibile raggiungere il server. Controlla la connessione e riprova.',
  'error.key-canceled':
    'Non è stata usata nessuna passkey né un token di sicurezza. Riprova. Se questo dispositivo non ha una chiave per questo sito, scegli un altro metodo.',
  'error.key-not-added':
    'Non è stata aggiunta nessuna chiave. Riprova. Se questo dispositivo non può salvare una chiave per questo sito, usane un altro.',
  'error.key-known': 'Questo dispositivo ha già un token di sicurezza per il tuo account. Usa quello.',
  'error.other': 'Qualcosa è andato storto da parte nostra. Riprova tra un momento.',
  'error.unknown': 'Qualcosa è andato storto da parte nostra. Riprova tra un momento.',
  'error.unexpected_failure': 'Qualcosa è andato storto da parte nostra. Riprova tra un momento.',
  'error.validation_failed': 'Alcune informazioni non sono valide. Controlla ciò che hai inserito.',
  'error.bad_json': 'La richiesta era incompleta. Riprova.',
  'error.conflict': 'Qualcun altro ha modificato gli stessi dati nello stesso momento. Riprova.',
  'error.request_timeout': 'La richiesta ha impiegato troppo tempo. Riprova.',
  'error.request_entity_too_large': 'Il testo inserito è troppo lungo. Accorcialo e riprova.',
  'error.feature_disabled': 'Questa funzione non è disponibile qui. Scegli un’altra opzione.',

  // token, user
  'error.bad_jwt': 'La sessione è scaduta. Accedi di nuovo.',
  'error.not_admin': 'Solo gli amministratori possono farlo. Chiedi aiuto a un amministratore.',
  'error.no_authorization': 'Non hai effettuato l’accesso. Accedi prima.',
  'error.not_signed_in': 'Non hai effettuato l’accesso. Accedi prima.',
  'error.user_not_found': 'La sessione è scaduta. Accedi di nuovo.',
  'error.user_banned': 'Questo account è bloccato. Contatta l’assistenza.',
  'error.session_not_kept':
    'Questo browser non ha mantenuto l’accesso. Consenti i cookie per questo sito e accedi di nuovo.',
  'error.session_not_found': 'La sessione è stata chiusa qui o da un altro dispositivo. Accedi di nuovo.',
  'error.session_expired': 'La sessione è scaduta. Accedi di nuovo.',
  'error.refresh_token_not_found': 'La sessione è scaduta. Accedi di nuovo.',
  'error.refresh_token_already_used': 'La sessione è scaduta. Accedi di nuovo.',
  'error.unexpected_audience': 'La sessione appartiene a un altro servizio. Accedi di nuovo.',
  'error.invalid_credentials':
    'La password è errata o questo account non ne ha una. Riprova, oppure ricevi un codice via email se di solito accedi in un altro modo.',
  'error.insufficient_aal':
    'Questa azione richiede un secondo passaggio. Prima conferma che sei tu con l’app di autenticazione.',

  // sign-up, email, phone
  'error.signup_disabled': 'Al momento non è possibile creare nuovi account. Se ne hai già uno, accedi.',
  'error.user_already_exists': 'Non puoi creare un account con questo indirizzo. Se è tuo, accedi.',
  'error.email_exists': 'Questo indirizzo non può essere usato. Inseriscine un altro.',
  'error.phone_exists': 'Questo numero non può essere usato. Inseriscine un altro.',
  'error.email_provider_disabled': 'L’accesso via email è disattivato. Scegli un altro modo per accedere.',
  'error.phone_provider_disabled':
    'L’accesso con il telefono è disattivato. Scegli un altro modo per accedere.',
  'error.anonymous_provider_disabled': 'Gli account ospite sono disattivati. Accedi o crea un account.',
  'error.device_not_confirmed':
    'È la prima volta che accedi da questo dispositivo. Accedi con il codice che ti abbiamo inviato via email.',
  'error.email_not_confirmed':
    'Questo indirizzo non è ancora confermato. Apri l’email che ti abbiamo inviato o richiedi un nuovo codice.',
  'error.phone_not_confirmed': 'Questo numero di telefono non è ancora confermato. Richiedi un nuovo codice.',
  'error.email_address_not_authorized':
    'Non possiamo ancora inviare email a questo indirizzo. Inseriscine un altro.',
  'error.email_address_invalid':
    'Non possiamo inviare email a questo indirizzo. Controlla che non contenga errori.',
  'error.email_address_not_provided':
    'L’altro servizio non ha condiviso il tuo indirizzo email. Consenti la condivisione o scegli un altro modo per accedere.',
  'error.invite_not_found': 'Questo invito non è valido o è scaduto. Richiedine uno nuovo.',
  'error.otp_expired':
    'Il codice è errato o scaduto. Controllalo o richiedine uno nuovo. Dopo cinque tentativi errati funziona solo un nuovo codice.',
  'error.otp_disabled': 'Non possiamo inviare un codice. Se non hai ancora un account, creane uno prima.',
  'error.sms_send_failed':
    'Non è stato possibile inviare l’SMS. Controlla il numero e riprova tra un momento.',

  // password
  'error.weak_password': 'Questa password è troppo debole. Segui i requisiti qui sotto.',
  'error.weak_password-leaked': 'Questa password è comparsa in una fuga di dati. Scegline un’altra.',
  'error.same_password': 'Questa è la tua password attuale. Scegline una diversa.',
  'error.reauthentication_needed': 'È passato del tempo dal tuo accesso. Accedi di nuovo e poi riprova.',
  'error.reauthentication_not_valid': 'Il codice è errato o scaduto. Richiedine uno nuovo.',
  'error.current_password_invalid': 'La password attuale è errata. Controllala e riprova.',
  'error.current_password_required': 'Manca la password attuale. Inseriscila per fare questa modifica.',

  // limits
  'error.overloaded': 'Il server sta ricevendo troppe richieste. Riprova tra un momento.',
  'error.over_request_rate_limit':
    'Ci sono stati troppi tentativi, forse di qualcun altro. Aspetta prima di riprovare o accedi in un altro modo, ad esempio con un codice via email.',
  'error.over_email_send_rate_limit':
    'Abbiamo appena inviato un’email. Aspetta un momento prima di richiederne un’altra.',
  'error.over_sms_send_rate_limit':
    'Abbiamo appena inviato un SMS. Aspetta un momento prima di richiederne un altro.',
  'error.captcha_failed':
    'Non siamo riusciti a verificare che sei una persona. Ricarica la pagina e riprova.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Questo accesso è scaduto. Ricomincia dall’app.',
  'error.flow_state_expired': 'Questo accesso è scaduto. Ricomincia dall’app.',
  'error.flow_state_already_used': 'Questa richiesta di accesso è già stata usata. Ricomincia dall’app.',
  'error.oauth_client_state_not_found': 'Questo accesso è scaduto. Ricomincia.',
  'error.oauth_client_state_expired': 'Questo accesso è scaduto. Ricomincia.',
  'error.oauth_invalid_state': 'Questo accesso è iniziato in un altro browser. Ricomincia in questo browser.',
  'error.bad_oauth_state': 'Questo accesso è iniziato in un altro browser. Ricomincia in questo browser.',
  'error.bad_oauth_callback':
    'L’altro servizio ha inviato una risposta incompleta. Ricomincia o scegli un altro modo per accedere.',
  'error.bad_code_verifier':
    'Questo accesso è iniziato in un’altra app o in un altro browser. Ricomincia dall’app.',
  'error.oauth_provider_not_supported': 'Questo metodo di accesso non è disponibile. Scegline un altro.',
  'error.provider_disabled': 'Questo metodo di accesso è disattivato. Scegline un altro.',
  'error.provider_email_needs_verification':
    'L’altro servizio non ha confermato il tuo indirizzo email. Se ti abbiamo inviato un’email, aprila per confermarlo. Altrimenti confermalo nell’altro servizio e riprova.',
  'error.web3_provider_disabled': 'L’accesso con wallet è disattivato. Scegli un altro modo per accedere.',
  'error.web3_unsupported_chain': 'I wallet di questa rete non sono supportati. Scegli un altro wallet.',
  'error.custom_provider_not_found': 'Questo metodo di accesso non esiste più. Scegline un altro.',
  'error.over_custom_provider_quota':
    'È stato raggiunto il numero massimo di metodi di accesso personalizzati. Rimuovine uno prima di aggiungerne un altro.',

  // identities
  'error.identity_not_found': 'Questo account non è più collegato. Ricarica la pagina.',
  'error.identity_already_exists':
    'Questo account è già collegato. Accedi con questo account per vedere a quale utente appartiene.',
  'error.single_identity_not_deletable':
    'Non puoi rimuovere il tuo unico modo per accedere. Prima aggiungine un altro.',
  'error.email_conflict_identity_not_deletable':
    'Scollegare questo account cambierebbe il tuo indirizzo email in uno che ha un altro utente. Prima cambia il tuo indirizzo email o scollega l’altro account.',
  'error.manual_linking_disabled': 'Non puoi collegare account qui. Accedi con un account già collegato.',

  // SSO
  'error.user_sso_managed':
    'La tua organizzazione gestisce questo account. Chiedi al suo amministratore di fare questa modifica.',
  'error.sso_failed':
    'Non è stato possibile accedere tramite la tua organizzazione. Riprova o contatta il suo amministratore.',
  'error.sso_required':
    'La tua organizzazione richiede il Single Sign-On per questo indirizzo email. Accedi con SSO.',
  'error.sso_not_allowed':
    'La tua organizzazione non consente l’accesso a questo account. Contatta il suo amministratore.',
  'error.sso_provider_not_found':
    'Il Single Sign-On non è configurato per questo dominio. Controlla il dominio o scegli un altro modo per accedere.',
  'error.sso_provider_disabled':
    'Il Single Sign-On della tua organizzazione è disattivato. Contatta l’amministratore della tua organizzazione.',
  'error.sso_domain_already_exists': 'Questo dominio ha già il Single Sign-On. Scegli un altro dominio.',
  'error.saml_provider_disabled': 'Il Single Sign-On è disattivato. Scegli un altro modo per accedere.',
  'error.saml_relay_state_not_found': 'Questo accesso è scaduto. Ricomincia.',
  'error.saml_relay_state_expired': 'Questo accesso è scaduto. Ricomincia.',
  'error.saml_idp_not_found':
    'La tua organizzazione non è connessa a questo servizio. Contatta l’amministratore della tua organizzazione.',
  'error.saml_idp_already_exists': 'Questa organizzazione è già connessa. Modifica la connessione esistente.',
  'error.saml_assertion_no_user_id':
    'La tua organizzazione non ha inviato un ID utente. Contatta il suo amministratore.',
  'error.saml_assertion_no_email':
    'La tua organizzazione non ha inviato il tuo indirizzo email. Contatta il suo amministratore.',
  'error.saml_metadata_fetch_failed':
    'Impossibile raggiungere il servizio Single Sign-On della tua organizzazione. Riprova più tardi.',
  'error.saml_entity_id_mismatch':
    'La risposta non proviene dal servizio di accesso configurato per la tua organizzazione. Contatta l’amministratore della tua organizzazione.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Hai raggiunto il numero massimo di secondi passaggi. Rimuovine uno prima di aggiungerne un altro.',
  'error.mfa_factor_name_conflict': 'Hai già un’app di autenticazione con questo nome. Scegli un altro nome.',
  'error.mfa_factor_not_found': 'Questa app di autenticazione non esiste più. Ricarica la pagina.',
  'error.mfa_ip_address_mismatch': 'La tua rete è cambiata. Inserisci il codice che l’app mostra ora.',
  'error.mfa_challenge_expired': 'La richiesta è scaduta. Inserisci il codice che l’app mostra ora.',
  'error.mfa_verification_failed': 'Il codice è errato. Inserisci il codice che l’app mostra ora.',
  'error.mfa_verification_rejected': 'Il codice è stato rifiutato. Accedi di nuovo.',
  'error.mfa_verified_factor_exists':
    'Un secondo passaggio di questo tipo è già configurato. Rimuovilo prima di configurarne un altro.',
  'error.mfa_phone_enroll_not_enabled':
    'Qui non si possono aggiungere telefoni come secondo passaggio. Scegli un altro secondo passaggio.',
  'error.mfa_phone_verify_not_enabled':
    'Qui non si possono usare telefoni come secondo passaggio. Scegli un altro secondo passaggio.',
  'error.mfa_totp_enroll_not_enabled':
    'Qui non si possono aggiungere app di autenticazione. Scegli un altro secondo passaggio.',
  'error.mfa_totp_verify_not_enabled':
    'Qui non si possono usare app di autenticazione. Scegli un altro secondo passaggio.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Qui non si possono aggiungere token di sicurezza. Scegli un altro secondo passaggio.',
  'error.mfa_webauthn_verify_not_enabled':
    'Qui non si possono usare token di sicurezza. Scegli un altro secondo passaggio.',

  // passkeys
  'error.passkey_disabled': 'Le passkey sono disattivate. Scegli un altro modo per accedere.',
  'error.too_many_passkeys':
    'Hai raggiunto il numero massimo di passkey. Rimuovine una prima di aggiungerne un’altra.',
  'error.webauthn_credential_not_found':
    'Questa passkey non può essere usata qui. Scegli un altro modo per accedere.',
  'error.webauthn_credential_exists': 'Questo dispositivo ha già una passkey per il tuo account. Usa quella.',
  'error.webauthn_challenge_not_found': 'Questa richiesta è già stata usata. Riprova.',
  'error.webauthn_challenge_expired': 'La richiesta è scaduta. Riprova.',
  'error.webauthn_verification_failed':
    'Non è stato possibile verificare la passkey. Riprova o scegli un altro metodo.',

  // OAuth server
  'error.oauth_client_not_found': 'Questa app non è più registrata qui. Contatta l’assistenza dell’app.',
  'error.oauth_authorization_not_found':
    'Questa richiesta è scaduta o appartiene a un altro account. Torna all’app e ricomincia.',
  'error.oauth_consent_not_found': 'Questa app non ha più accesso. Ricarica la pagina.',
  'error.oauth_dynamic_client_registration_disabled':
    'Le app non possono registrarsi da sole qui. Contatta l’assistenza.',

  // hooks
  'error.hook_timeout': 'Un controllo obbligatorio ha impiegato troppo tempo. Riprova.',
  'error.hook_timeout_after_retry': 'Un controllo obbligatorio ha impiegato troppo tempo. Riprova.',
  'error.hook_payload_over_size_limit':
    'Non è stato possibile completare un controllo obbligatorio. Contatta l’assistenza.',
  'error.hook_payload_invalid_content_type':
    'Non è stato possibile completare un controllo obbligatorio. Contatta l’assistenza.',

  // /account/api
  'error.factor_required':
    'Questo servizio richiede la verifica in due passaggi. Per configurarla, apri il tuo account in un browser con JavaScript attivo.',
  'error.access_denied':
    'Hai annullato l’accesso nell’altro servizio. Riprova o scegli un altro modo per accedere.',
  'error.redirect_not_allowed':
    'Hai effettuato l’accesso, ma l’indirizzo dell’app non è consentito qui. Contatta l’assistenza dell’app.',
  'error.pkce_required': 'La richiesta di accesso dell’app è incompleta. Contatta l’assistenza dell’app.',
  'error.bad_code_challenge':
    'La richiesta di accesso dell’app è incompleta. Contatta l’assistenza dell’app.',
  'error.not_same_origin': 'La richiesta non proviene da questa pagina. Ricaricala e riprova.',
  'error.wallet-refused':
    'Il wallet non ha firmato la richiesta. Riprova o scegli un altro modo per accedere.',
  'error.wallet_refused':
    'La firma del wallet non è stata accettata. Riprova o scegli un altro modo per accedere.',
  'error.not_a_guest': 'Non stai usando un account ospite. Ricarica la pagina.',
  'error.hand_over_off':
    'I tuoi dati da ospite non possono essere spostati in questo account. Accedi senza o usa un altro indirizzo.',
  'error.hand_over_failed':
    'Non è stato possibile spostare i tuoi dati da ospite e nulla è cambiato. Riprova o torna all’account ospite.',
  'error.guest_gone': 'L’account ospite non esiste più. Continua con il tuo account.',
  'error.sign_in_stale':
    'È passato del tempo dal tuo accesso. Accedi di nuovo per spostare i tuoi dati da ospite.',
  'error.consent_answered': 'Hai già risposto a questa richiesta. Torna all’app.',

  // the session module
  'error.jwks_empty': 'Il server non può verificare la sessione in questo momento. Riprova più tardi.',
  'error.no_matching_key': 'Le chiavi di firma del server sono cambiate. Ricarica la pagina.',
  'error.bad_signature': 'Non è stato possibile verificare la sessione. Accedi di nuovo.',
  'error.expired':
    'La sessione è scaduta. Se hai appena effettuato l’accesso, controlla l’ora di questo dispositivo.',
  'error.missing_exp': 'Non è stato possibile verificare la sessione. Accedi di nuovo.',
  'error.bad_algorithm': 'Non è stato possibile verificare la sessione. Accedi di nuovo.',
  'error.url_and_key_required': 'La configurazione di questa pagina è incompleta. Contatta l’assistenza.',

  // organizations, whose functions belong to the project
  'error.account_required':
    'Gli ospiti non possono usare le organizzazioni. Salva il tuo account o accedi prima.',
  'error.already_member': 'Questo account è già membro. Nulla è cambiato.',
  'error.invalid_input': 'Alcune informazioni non sono valide. Controlla ciò che hai inserito.',
  'error.invitation_expired': 'Questo invito è scaduto. Chiedine un altro.',
  'error.invitation_for_other_email':
    'Questo invito è per un altro indirizzo email. Accedi con quell’indirizzo e confermalo.',
  'error.invitation_not_found': 'Questo invito non esiste più. Chiedine un altro.',
  'error.invitation_used': 'Questo invito è già stato usato. Chiedine un altro.',
  'error.last_owner':
    'Un’organizzazione ha bisogno di un proprietario. Prima nomina proprietario un altro membro o elimina l’organizzazione.',
  'error.limit_reached': 'È stato raggiunto il limite. Elimina ciò che non ti serve più e riprova.',
  'error.member_not_found': 'Questa persona non è più membro. Ricarica la pagina.',
  'error.not_allowed': 'Il tuo ruolo non lo consente. Chiedi aiuto a un proprietario.',
  'error.organization_not_found':
    'Nessuna organizzazione trovata. Controlla ciò che hai inserito e chiedi a un membro se l’organizzazione accetta richieste.',
  'error.request_not_found':
    'Questa richiesta ha già ricevuto risposta o è stata ritirata. Ricarica la pagina.',
  'error.role_not_found': 'Questo ruolo non esiste più. Ricarica la pagina.',
  'error.role_in_use': 'Alcuni membri o inviti hanno questo ruolo. Prima assegna loro un altro ruolo.',
  'error.role_taken': 'Un altro ruolo ha un nome simile. Scegli un nome diverso.',
  'error.session_required': 'La sessione è scaduta. Accedi di nuovo.',
  'error.slug_taken': 'Un’altra organizzazione ha questo nome breve. Scegline uno diverso.',
};
