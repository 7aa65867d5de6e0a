export const messages = {
  'page.signed-in': 'Accesso effettuato',
  'page.leave-guest': 'Uscire dal tuo account ospite?',
  'page.refused': 'Questo modulo non può essere inviato',
  'page.failed': 'Qualcosa è andato storto',
  'page.limited': 'Troppi tentativi',

  'page.confirm-invite': 'Unisciti a {name}',
  'page.confirm-number': 'Conferma la tua richiesta',
  'page.confirm-canceled': 'Questo link non è più valido',
  'page.confirmed': 'Confermato',
  'page.confirm-recovery': 'Reimposta la password',
  'page.confirm-magiclink': 'Accedi a {name}',
  'page.confirm-email_change': 'Conferma il tuo indirizzo email',

  'confirm.invite':
    'Sei stato invitato su {name} come {email}. Accetta l’invito per scegliere come accedere.',
  'confirm.invite-button': 'Unisciti a {name}',
  'confirm.recovery':
    'Continua per scegliere una nuova password per {email}. Questo link funziona una sola volta.',
  'confirm.recovery-button': 'Continua',
  'confirm.magiclink': 'Accedi come {email}. Questo link funziona una sola volta.',
  'confirm.magiclink-button': 'Accedi',
  'confirm.email_change': 'Conferma {email} come indirizzo email del tuo account {name}.',
  'confirm.email_change-button': 'Conferma indirizzo email',

  'confirm.number': 'Inserisci il numero mostrato nella finestra in cui hai richiesto questa email.',
  'confirm.number-device':
    'Inserisci il numero mostrato nella finestra in cui hai richiesto questa email: {browser} su {system}.',
  'confirm.number-button': 'Conferma',
  'confirm.number-warning':
    'Se non hai richiesto questa email, chiudi questa pagina. Non inserire mai un numero che ti invia qualcuno.',
  'confirm.canceled':
    'È stato inserito troppe volte il numero sbagliato. Nella finestra in cui hai richiesto l’email, inserisci il codice dell’email o inviane uno nuovo.',
  'confirm.done': 'Torna al browser in cui hai iniziato. La pagina lì continua automaticamente.',
  'confirm.closed': 'Se hai chiuso quella pagina, accedi invece da questo dispositivo.',
  'confirm.sign-in': 'Accedi da questo dispositivo',
  'confirm.number-link': 'Questo link è per {email} su {name}.',
  'unlocked.password': 'Scegli una nuova password',
  'page.link-expired-invite': 'Questo invito è già stato usato o è scaduto',
  'link-expired.invite':
    'Se hai già accettato, accedi. Altrimenti ricevi un codice via email o chiedi un altro invito.',
  'field.number': 'Numero nell’altra finestra',
  'field.number-wrong': 'Il numero è errato. Controlla l’altra finestra e riprova.',

  'page.cancel-change': 'Annullare la modifica dell’email?',
  'page.change-canceled': 'Modifica annullata',
  'page.email-changed': 'Indirizzo email cambiato',
  'cancel-change.text':
    'Qualcuno ha chiesto di cambiare l’indirizzo email del tuo account. Se non sei stato tu, annulla la modifica.',
  'cancel-change.to':
    'Qualcuno ha chiesto di cambiare l’indirizzo email del tuo account in {email}. Se non sei stato tu, annulla la modifica.',
  'cancel-change.button': 'Annulla la modifica',
  'change-canceled.text':
    'Il tuo indirizzo email resta lo stesso. Se non hai chiesto la modifica, scegli ora una nuova password. Tutte le altre sessioni verranno chiuse.',
  'change-canceled.password': 'Scegli una nuova password',
  'email-changed.text':
    'Il nuovo indirizzo email del tuo account è confermato. Puoi chiudere questa finestra.',

  'page.remove-factors': 'Rimuovere la verifica in due passaggi?',
  'page.remove-factors-done': 'Rimozione programmata',
  'remove-factors.text':
    'Se confermi, la verifica in due passaggi verrà rimossa dall’account {email} il {when}. Dopo accederai senza un secondo passaggio.',
  'remove-factors.found':
    'Se prima di allora puoi usare di nuovo il secondo passaggio, accedi con quello per annullare la rimozione.',
  'remove-factors.button': 'Conferma rimozione',
  'remove-factors.not-me':
    'Se non hai richiesto questa rimozione, chiudi questa pagina. Qualcuno conosce la tua password, quindi scegline una nuova.',
  'remove-factors-done.text':
    'La verifica in due passaggi verrà rimossa il {when}. Ti avviseremo via email quando sarà fatto. Puoi chiudere questa pagina.',
  'remove-factors-expired.text':
    'Il link è stato sostituito o è scaduto, oppure la richiesta è stata annullata. Per richiedere di nuovo la rimozione, accedi e scegli «Non riesco a usare il secondo passaggio».',
  'page.not-me': 'Proteggi il tuo account',
  'not-me.new_device': 'È stato effettuato l’accesso al tuo account da un nuovo dispositivo il {when}.',
  'not-me.password_set': 'È stata impostata una password per il tuo account il {when}.',
  'not-me.password_changed': 'La tua password è stata cambiata il {when}.',
  'not-me.email_changed': 'Il tuo indirizzo email è stato cambiato il {when}.',
  'not-me.phone_changed': 'Il tuo numero di telefono è stato cambiato il {when}.',
  'not-me.factor_added': 'È stato aggiunto un metodo di verifica al tuo account il {when}.',
  'not-me.factor_removed': 'È stato rimosso un metodo di verifica dal tuo account il {when}.',
  'not-me.factor_removal_requested':
    'È stata richiesta la rimozione della verifica in due passaggi dal tuo account il {when}.',
  'not-me.factors_reset': 'La verifica in due passaggi è stata rimossa dal tuo account il {when}.',
  'not-me.recovery_code_used': 'È stato usato un codice di recupero del tuo account il {when}.',
  'not-me.passkey_added': 'È stata aggiunta una passkey al tuo account il {when}.',
  'not-me.identity_linked': 'È stato aggiunto un metodo di accesso al tuo account il {when}.',
  'not-me.identity_unlinked': 'È stato rimosso un metodo di accesso dal tuo account il {when}.',
  'not-me.app_connected': 'È stata connessa un’app al tuo account il {when}.',
  'not-me.api_key_created': 'È stata creata una chiave API per il tuo account il {when}.',
  'not-me.then': 'Se scegli «Non sono stato io»:',
  'not-me.new_device-undo': 'Il nuovo dispositivo verrà disconnesso e non sarà più riconosciuto.',
  'not-me.password_changed-undo': 'La password attuale smetterà di funzionare.',
  'not-me.email_changed-undo': 'Il tuo indirizzo email tornerà a essere {email}.',
  'not-me.phone_changed-undo': 'Verrà ripristinato il numero di telefono precedente.',
  'not-me.factor_added-undo': 'Il nuovo metodo di verifica verrà rimosso.',
  'not-me.factor_removed-undo':
    'Il metodo di verifica rimosso non può essere ripristinato. Aggiungine uno nuovo dopo aver effettuato di nuovo l’accesso.',
  'not-me.factor_removal_requested-undo':
    'La rimozione verrà annullata e la verifica in due passaggi resterà attiva.',
  'not-me.factors_reset-undo':
    'I metodi di verifica rimossi non possono essere ripristinati. Aggiungine uno nuovo dopo aver effettuato di nuovo l’accesso.',
  'not-me.recovery_code_used-undo':
    'Il codice di recupero usato resterà non valido. Gli altri continueranno a funzionare.',
  'not-me.passkey_added-undo': 'La nuova passkey verrà rimossa.',
  'not-me.identity_linked-undo': 'Il nuovo metodo di accesso verrà rimosso.',
  'not-me.identity_unlinked-undo':
    'Il metodo di accesso rimosso non può essere ripristinato. Aggiungilo di nuovo dopo aver effettuato l’accesso.',
  'not-me.app_connected-undo': 'L’app perderà l’accesso al tuo account.',
  'not-me.api_key_created-undo': 'Tutte le chiavi API del tuo account verranno revocate.',
  'not-me.later': 'Verranno annullate anche queste modifiche successive:',
  'not-me.sign-out':
    'Uscirai da tutti i dispositivi e da tutte le app connesse, e la tua password smetterà di funzionare.',
  'not-me.back-in':
    'Per accedere di nuovo, inserisci un codice che invieremo a {email} e scegli una nuova password.',
  'not-me.device': 'Dispositivo: {browser} su {system}',
  'not-me.later-password_set': 'Password impostata, {when}',
  'not-me.later-password_changed': 'Password cambiata, {when}',
  'not-me.later-email_changed': 'Indirizzo email cambiato, {when}',
  'not-me.later-phone_changed': 'Numero di telefono cambiato, {when}',
  'not-me.later-factor_added': 'Metodo di verifica aggiunto, {when}',
  'not-me.later-recovery_codes_created': 'Codici di recupero creati, {when}',
  'not-me.later-passkey_added': 'Passkey aggiunta, {when}',
  'not-me.later-identity_linked': 'Metodo di accesso aggiunto, {when}',
  'not-me.later-app_connected': 'App connessa, {when}',
  'not-me.later-api_key_created': 'Chiave API creata, {when}',
  'not-me.later-device': ', {browser} su {system}',
  'page.not-me-secured': 'Il tuo account è già protetto',
  'not-me-secured.text':
    'Hai protetto il tuo account il {when}. La modifica in questa email non è più valida, quindi non ti serve questo link.',
  'not-me-secured.help':
    'Se vedi ancora qualcosa che non riconosci, scegli una nuova password. Tutte le altre sessioni verranno chiuse.',
  'not-me-expired.text':
    'Il link in questo avviso di sicurezza non funziona più. Se vedi ancora qualcosa che non riconosci, scegli una nuova password. Tutte le altre sessioni verranno chiuse.',
  'not-me.button': 'Non sono stato io',
  'not-me.was-me': 'Se sei stato tu, puoi chiudere questa pagina. Non cambierà nulla.',
  'page.unlock': 'Sblocca l’accesso',
  'unlock.text':
    'L’accesso al tuo account è sospeso dopo troppe password o codici errati. Se sei stato tu, sblocca l’accesso.',
  'unlock.button': 'Sblocca l’accesso',
  'not-me.was-me-not': 'Se non hai provato ad accedere, chiudi questa pagina. Il tuo account resta protetto.',
  'page.unlocked': 'L’accesso è sbloccato',
  'page.unlocked-before': 'L’accesso era già sbloccato',
  'unlocked.text': 'Puoi accedere di nuovo. Se non ricordi la password, scegline ora una nuova.',
  'unlocked.button': 'Accedi',
  'page.secured': 'Il tuo account è protetto',
  'secured.text':
    'La modifica è stata annullata e tutte le sessioni sono state chiuse. Scegli una nuova password per accedere di nuovo.',
  'secured.button': 'Scegli una nuova password',
  'secured.factor':
    'Dopo l’accesso, attiva la verifica in due passaggi nella pagina del tuo account, se disponibile. Protegge il tuo account anche se qualcuno ruba la password.',
  'secured.has-factor':
    'La verifica in due passaggi resta attiva, quindi ti servirà anche il secondo passaggio.',
  'secured.sso':
    'Tutte le sessioni sono state chiuse. Accedi di nuovo tramite la tua organizzazione e informa i suoi amministratori dell’accaduto.',
  'secured.sso-button': 'Accedi con SSO',
  'secured.none':
    'Tutte le sessioni sono state chiuse e la tua password non funziona più. Il tuo indirizzo email precedente ora appartiene a un altro account. Per accedere di nuovo, contatta l’assistenza.',

  'field.code-empty': 'Inserisci il codice.',

  'plain.sent':
    'Abbiamo inviato un’email a {email}. Se hai un account, inserisci il codice dell’email o apri il suo link. Altrimenti l’email spiega cosa fare.',
  'plain.sent-confirm':
    'Abbiamo inviato un codice a {email}. Inseriscilo per confermare il tuo indirizzo o apri il link nell’email.',
  'page.accounts': 'Scegli un account',
  'accounts.continue': 'Continua come {name}',
  'accounts.guest': 'Continua come ospite',
  'accounts.current': 'Accesso attivo (usato più di recente)',
  'accounts.one-out':
    'Sei uscito da quell’account qui. L’accesso alle app che lo usano potrebbe essere ancora attivo.',
  'accounts.all-out':
    'Sei uscito da tutti gli account. L’accesso alle app che li usano potrebbe essere ancora attivo.',
  'accounts.manage': 'Vai al tuo account',
  'accounts.in': 'Accesso',
  'accounts.out': 'Accesso non attivo',
  'accounts.sign-out': 'Esci',
  'accounts.forget': 'Rimuovi da questo browser',
  'accounts.guest-name': 'account ospite',
  'accounts.save-guest': 'Per conservare l’account, continua come ospite e salvalo.',
  'accounts.add': 'Usa un altro account',
  'accounts.sign-out-all': 'Esci da tutti gli account',
  'page.with': 'Continuare per accedere?',
  'with.text': 'Hai seguito un link da un altro sito per accedere con {connection}.',
  'with.button': 'Continua su {connection}',
  'with.warning': 'Se non te lo aspettavi, chiudi questa pagina. L’accesso non verrà effettuato.',
  'plain.sso': 'Per accedere come {email}, usa SSO.',
  'plain.sso-button': 'Continua con SSO',
  'plain.join': 'Scegli la password con cui accederai d’ora in poi.',
  'plain.number': 'Se apri il link su un altro dispositivo, inserisci lì il numero {number}.',
  'plain.check': 'Ho confermato il link su un altro dispositivo',
  'plain.unsaved':
    'La nuova password non è ancora stata salvata. Prima conferma che sei tu, poi inserisci di nuovo la nuova password.',
  'plain.unconfirmed': 'Il link non è ancora stato confermato su un altro dispositivo.',
  'page.refused-app': 'Questa app non può farti accedere',
  'refused.redirect_not_allowed':
    'L’indirizzo dell’app non è consentito qui. Contatta l’assistenza dell’app.',
  'refused.redirect_not_allowed-hint':
    'Aggiungi {url} a additional_redirect_urls nella sezione [auth] di supabase/config.toml, o usa l’indirizzo in site_url.',
  'refused.pkce_required': 'La richiesta di accesso dell’app è incompleta. Contatta l’assistenza dell’app.',
  'refused.pkce_required-hint':
    'Invia code_challenge e code_challenge_method=s256 insieme a redirect_to={url}. Per restituire invece le sessioni nel frammento dell’URL, imposta implicit_return = true nella sezione [account] di supabase/plinth.toml.',
  'refused.bad_code_challenge':
    'La richiesta di accesso dell’app è incompleta. Contatta l’assistenza dell’app.',
  'refused.bad_code_challenge-hint':
    'code_challenge deve avere da 43 a 128 caratteri tra A-Z a-z 0-9 . _ ~ -, e code_challenge_method deve essere s256 o plain.',
  'plain.mfa': 'Apri l’app di autenticazione e inserisci il codice per {email} su {name}.',
  'plain.mfa-other':
    'Per usare un altro secondo passaggio, o se hai perso il tuo e non hai codici di recupero, attiva JavaScript e ricarica questa pagina.',
  'plain.mfa-app': 'Usa l’app di autenticazione',
  'plain.as': 'Accesso effettuato come {who}.',
  'plain.as-guest': 'Stai usando un account ospite.',
  'plain.continue': 'Continua su {host}',
  'plain.continue-hint': 'Verrai reindirizzato tra un momento. Se non succede nulla, usa il link.',
  'plain.account': 'Il tuo account',
  'plain.sign-out': 'Esci',
  'plain.connected': 'Account collegati',
  'plain.needs-scripts':
    'Per modificare le impostazioni dell’account, attiva JavaScript e ricarica questa pagina.',
  'plain.back': 'Torna a {name}',
  'plain.save-guest': 'Per salvare l’account, attiva JavaScript e apri il tuo account.',
  'plain.refused':
    'La pagina potrebbe essere rimasta aperta troppo a lungo, o il modulo non proviene da questo sito. Nulla è cambiato. Apri di nuovo la pagina e reinvia il modulo.',
  'plain.failed': 'Qualcosa è andato storto da parte nostra. Riprova tra un momento.',
  'plain.limited':
    'Dalla tua rete sono arrivate troppe richieste. Nulla è cambiato. Aspetta un momento e apri di nuovo il link.',

  'page.organizations': 'Organizzazioni',
  'page.invitation-open': 'Hai ricevuto un invito',
  'page.invitation-other': 'Questo invito è per un altro indirizzo',
  'page.invitation-unverified': 'Prima conferma il tuo indirizzo email',
  'page.invitation-expired': 'Questo invito è scaduto',
  'page.invitation-used': 'Questo invito è già stato usato',
  'page.invitation-none': 'Invito non trovato',
  'page.invitation-member': 'Sei già membro',
  'organizations.guest':
    'Gli ospiti non possono usare le organizzazioni. Salva il tuo account o accedi prima.',
  'field.organization-missing': 'Inserisci un nome per l’organizzazione.',
  'field.slug-missing': 'Inserisci il nome breve dell’organizzazione.',
  'organizations.who': 'Accesso effettuato come {who}',
  'organizations.mine': 'Le tue organizzazioni',
  'organizations.invitations': 'Inviti per te',
  'organizations.requests': 'Le tue richieste di adesione',
  'organizations.waiting': 'In attesa di risposta',
  'organizations.withdraw': 'Ritira',
  'organizations.as': 'Come {role}',
  'organizations.open-mail': 'Per accettare, apri il link nell’email.',
  'organizations.current': '{role} · Organizzazione attuale',
  'organizations.switch': 'Passa',
  'organizations.none':
    'Non sei ancora membro di un’organizzazione. Creane una o chiedi all’amministratore di un’organizzazione di invitarti.',
  'organizations.available': 'Organizzazioni a cui puoi unirti',
  'organizations.available-why': 'Per chi ha un indirizzo {domain}',
  'organizations.available-join': 'Unisciti',
  'organizations.available-request': 'Chiedi di unirti',
  'field.organization-closed':
    'Non puoi unirti a questa organizzazione con il tuo indirizzo email. Chiedi a un membro di invitarti.',
  'organizations.create-title': 'Crea un’organizzazione',
  'organizations.name': 'Nome dell’organizzazione',
  'organizations.create': 'Crea organizzazione',
  'organizations.ask-title': 'Chiedi di unirti a un’organizzazione',
  'organizations.slug': 'Nome breve',
  'organizations.slug-hint': 'Il nome breve te lo dà un membro, ad esempio acme.',
  'organizations.message': 'Messaggio agli amministratori (facoltativo)',
  'organizations.ask': 'Invia richiesta',
  'organizations.created': 'Organizzazione creata. Sei passato a essa.',
  'organizations.switched': 'Sei passato a un’altra organizzazione.',
  'organizations.joined': 'Ti sei unito all’organizzazione.',
  'organizations.declined': 'Invito rifiutato.',
  'organizations.requested':
    'Richiesta inviata. Vedrai qui l’organizzazione quando un amministratore la approverà.',
  'organizations.withdrawn': 'Richiesta ritirata.',
  'organizations.left': 'Hai lasciato l’organizzazione.',
  'organizations.deleted': 'Organizzazione eliminata.',
  'invitation.text': 'Sei stato invitato a unirti a {organization}. Il tuo ruolo: {role}.',
  'invitation.join': 'Unisciti a {organization}',
  'invitation.decline': 'Rifiuta',
  'invitation.other': 'Usa un altro account',
  'invitation.sign-in': 'Per accettare l’invito, accedi come {email} o crea un account con questo indirizzo.',
  'invitation.sign-in-link': 'Per accettare l’invito, accedi o crea un account.',
  'invitation.wrong': 'L’invito è per {email}. Hai effettuato l’accesso come {who}.',
  'invitation.unverified':
    'L’invito è per {email} e questo indirizzo del tuo account non è ancora confermato.',
  'invitation.expired':
    'Chiedi alla persona che ti ha invitato in {organization} di inviare un altro invito.',
  'invitation.used':
    'Se ti sei già unito a {organization}, apri le tue organizzazioni. Altrimenti chiedi un altro invito.',
  'invitation.none': 'Il link è incompleto o l’invito è stato ritirato. Chiedi un altro invito.',
  'invitation.member': 'Il tuo account è già membro di {organization}.',
  'invitation.to-list': 'Le tue organizzazioni',
};
