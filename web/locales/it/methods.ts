export const messages = {
  'wallet.ethereum': 'Wallet Ethereum',
  'wallet.solana': 'Wallet Solana',
  'wallet.none':
    'Nessun wallet trovato in questo browser. Installane uno e ricarica la pagina, o apri questa pagina nel browser del tuo wallet.',

  'join.intro': 'Accederai a {name} come {email}.',
  'join.passkey': 'Crea invece una passkey',

  'page.two-step-prove': 'Configura il secondo passaggio',
  'page.two-step-codes': 'Salva i codici di recupero',
  'two-step.progress': 'Passaggio {step} di {steps}',
  'two-step.intro': '{name} richiede un secondo passaggio quando accedi. Scegline uno.',
  'two-step.totp': 'Un’app sul telefono, come un gestore di password, mostra un codice, anche offline.',
  'two-step.key': 'Una chiave USB o NFC, oppure lo sblocco del dispositivo con impronta o volto.',
  'two-step.phone': 'Ti inviamo ogni volta un codice via SMS.',
  'two-step.none':
    'In questo browser non si può configurare un secondo passaggio. Apri questa pagina in un altro browser o su un altro dispositivo.',
  'mfa.again': 'Per modificare i tuoi metodi di accesso, conferma che sei tu.',
  'mfa.unusable':
    'Il tuo token di sicurezza non può essere usato a questo indirizzo. Usa un altro browser o dispositivo.',
  'mfa.use-totp': 'Usa l’app di autenticazione ({name})',
  'mfa.use-phone': 'Invia un codice via SMS a {name}',
  'mfa.use-key': 'Usa il token di sicurezza ({name})',
  'page.lost': 'Recupera l’accesso al tuo account',
  'lost.open': 'Non riesco a usare il secondo passaggio',
  'lost.intro':
    'Puoi comunque accedere se hai perso il telefono, l’app di autenticazione o il token di sicurezza.',
  'lost.no-codes': 'Non hai codici di recupero.',
  'lost.removal':
    'Puoi richiedere la rimozione della verifica in due passaggi. Conferma la richiesta nell’email che invieremo a {email}, poi attendi {wait}. Nel frattempo, il proprietario dell’account può fermare la rimozione.',
  'lost.hours': '{count, plural, one {# ora} many {# di ore} other {# ore}}',
  'lost.minutes': '{count, plural, one {# minuto} many {# di minuti} other {# minuti}}',
  'lost.request': 'Richiedi la rimozione',
  'lost.requested': 'Abbiamo inviato un link a {email}. Aprilo entro un’ora per confermare la richiesta.',
  'lost.resend': 'Invia un nuovo link',
  'lost.waiting':
    'La verifica in due passaggi verrà rimossa il {when}. Dopo potrai accedere senza un secondo passaggio. Per mantenerla, accedi prima di allora con il tuo secondo passaggio.',
  'lost.cancel': 'Annulla la rimozione',
  'lost.other-sign-in':
    'Per richiedere la rimozione della verifica in due passaggi, accedi con la password o con un provider. Confermerai la richiesta anche via email.',
  'lost.recent':
    'La password, i recapiti o i metodi di accesso sono cambiati di recente. Per la tua sicurezza, potrai richiedere la rimozione della verifica in due passaggi {wait} dopo l’ultima modifica.',
  'lost.support':
    'Chiedi all’assistenza di {name} di reimpostare la verifica in due passaggi. Verificherà che l’account sia tuo.',
  'lost.support-button': 'Ottieni aiuto',
  'lost.operator':
    'Chiedi ai responsabili di {host} di reimpostare la verifica in due passaggi. Verificheranno che l’account sia tuo.',
  'lost.back': 'Indietro',
  'mfa.use-recovery': 'Usa un codice di recupero',
  'mfa.phone-intro': 'Invieremo un codice via SMS a {name}.',
  'mfa.phone-send': 'Invia codice',
  'mfa.phone-sent': 'Abbiamo inviato un SMS con un codice di {length} cifre a {name}.',
  'mfa.phone-wrong': 'Il codice è errato o scaduto. Controllalo o richiedine uno nuovo.',
  'mfa.key-intro': 'Collega {name} o avvicinalo al dispositivo, poi segui le istruzioni del browser.',
  'mfa.key-submit': 'Usa il token di sicurezza',
  'page.recovery-used': 'Sostituisci il secondo passaggio perso',
  'recovery-used.text':
    'Hai usato un codice di recupero. {left, plural, one {Resta # codice.} many {Restano # di codici.} other {Restano # codici.}} Rimuovi il secondo passaggio che hai perso e configurane uno nuovo.',
  'recovery-used.replace': 'Vai al tuo account',
  'recovery-used.later': 'Non ora, continua',
  'mfa.recovery-intro':
    'Inserisci uno dei codici di recupero che hai salvato. Ogni codice funziona una sola volta.',
  'mfa.recovery-code': 'Codice di recupero',
  'mfa.recovery-missing': 'Inserisci un codice di recupero.',
  'mfa.recovery-wrong': 'Il codice è errato o già usato. Controllalo o inseriscine un altro.',

  'factor.intro': 'La verifica in due passaggi protegge il tuo account anche se qualcuno ruba la password.',
  'factor.phone': 'Telefono',
  'factor.webauthn': 'Token di sicurezza',
  'factor.add-phone': 'Aggiungi telefono',
  'factor.add-key': 'Aggiungi token di sicurezza',
  'factor.key-name': 'Nome del token',
  'factor.key-hint': 'Scegli un nome che riconoscerai in seguito.',
  'factor.ready': 'La verifica in due passaggi è attiva. Ti chiederemo il secondo passaggio quando accedi.',
  'factor.removed': 'Secondo passaggio rimosso.',
  'factor.remove-what': 'Rimuovi il secondo passaggio {name}',
  'factor.remove-ask': 'Rimuovere il secondo passaggio {name}? Smetterà subito di funzionare.',
  'factor.required':
    'Questo servizio richiede la verifica in due passaggi. Configurala per continuare nell’app.',
  'factor.last':
    'Questo servizio richiede la verifica in due passaggi. Per rimuovere questo secondo passaggio, prima aggiungine un altro.',

  'recovery.title': 'Codici di recupero',
  'recovery.codes': 'codici di recupero',
  'recovery.intro':
    'Usa un codice di recupero se perdi il telefono o il token di sicurezza. Ogni codice funziona una sola volta.',
  'recovery.none': 'Ancora nessun codice di recupero',
  'recovery.left':
    '{remaining, plural, one {Resta # codice} many {Restano # di codici} other {Restano # codici}} su {total}.',
  'recovery.few':
    'I codici stanno per finire. Se ne generi di nuovi, quelli vecchi smetteranno di funzionare.',
  'recovery.make': 'Genera codici di recupero',
  'recovery.remake': 'Genera nuovi codici',
  'recovery.remake-ask':
    'Sostituire i codici di recupero? I codici che hai salvato smetteranno di funzionare.',
  'recovery.replace': 'Sostituisci i miei codici',
  'recovery.shown-once': 'Salva questi codici in un luogo sicuro. Non verranno più mostrati.',
  'recovery.download': 'Scarica',
  'recovery.print': 'Stampa',
  'recovery.last-step':
    'Ultimo passaggio: genera i codici di recupero. Te ne servirà uno se perdi il dispositivo.',
  'recovery.kept': 'Ho salvato questi codici',

  'passkey.title': 'Passkey',
  'passkey.intro': 'Accedi con l’impronta, il volto o il blocco schermo. Non ti serve una password.',
  'passkey.none': 'Ancora nessuna passkey',
  'passkey.add': 'Aggiungi passkey',
  'passkey.ready': 'Passkey aggiunta. Ora puoi usarla per accedere.',
  'passkey.unsupported': 'Questo browser non può creare passkey a questo indirizzo.',
  'passkey.unnamed': 'Passkey',
  'passkey.used': 'Ultimo utilizzo: {when}',
  'passkey.rename': 'Rinomina',
  'passkey.rename-what': 'Rinomina {name}',
  'passkey.renamed': 'Rinominata in {name}.',
  'passkey.name': 'Nome',
  'passkey.name-missing': 'Inserisci un nome.',
  'passkey.save': 'Salva',
  'passkey.remove-ask': 'Rimuovere {name}? Non potrai più usarla per accedere.',
  'passkey.removed': 'Passkey rimossa. Eliminala anche dal dispositivo.',

  'identity.title': 'Account collegati',
  'identity.intro': 'Puoi accedere con uno qualsiasi di questi account.',
  'identity.link': 'Collega {name}',
  'identity.linked': '{name} collegato. Ora puoi usarlo per accedere.',
  'identity.unlink': 'Scollega',
  'identity.unlink-ask': 'Scollegare {name}? Non potrai più usarlo per accedere.',
  'identity.unlink-ask-address':
    'Scollegare {name}? Non potrai più usarlo per accedere. Puoi ancora accedere con {email}.',
  'identity.unlinked': '{name} scollegato.',
  'identity.last': 'Per scollegare questo account, prima collegane un altro.',
  'identity.kept-by-project': 'Questo servizio non consente di scollegare questo account.',
  'identity.since': 'Collegato: {when}',
  'identity.organization': 'La tua organizzazione',
};
