export const messages = {
  'guest.intro':
    'Non ti serve un account. Puoi accedere ai tuoi dati in questo browser finché non esci. Per conservarli anche dopo, aggiungi un modo per accedere.',
  'guest.off': 'Gli account ospite sono disattivati. Accedi o crea un account.',

  'guest.leave-title': 'Uscire dal tuo account ospite?',
  'guest.leave-text':
    'Non è possibile accedere di nuovo a un account ospite. Se esci, perderai tutto ciò che hai qui.',
  'guest.leave': 'Esci e perdi i miei dati',
  'guest.leave-cancel': 'Annulla',

  'upgrade.intro': 'Stai usando un account ospite. Scegli come accedere. Conserverai tutto ciò che hai qui.',
  'upgrade.submit': 'Salva il mio account',
  'upgrade.by-code': 'Ricevi invece un codice via email',
  'upgrade.none': 'Gli account ospite non possono essere salvati qui. Contatta l’assistenza.',
  'upgrade.sent':
    'Abbiamo inviato un codice di {length} cifre a {email}. Inseriscilo qui o apri il link nell’email. Fino ad allora resti un ospite.',
  'upgrade.if-yours': 'Se questo indirizzo è tuo, accedi al tuo account qui sotto.',
  'upgrade.taken': 'Un altro account usa già questo indirizzo email. Se è tuo, accedi qui sotto.',
  'upgrade.have': 'Hai già un account?',
  'upgrade.with-hook':
    'Accedi a quell’account e sposta lì i tuoi dati da ospite. Ti chiederemo conferma prima di spostare qualsiasi cosa.',
  'upgrade.without-hook':
    'I tuoi dati da ospite non possono essere spostati in un altro account. Se accedi a un altro account, non potrai più usarli.',
  'upgrade.elsewhere': 'Accedi al mio account',
  'upgrade.leave': 'Accedi senza i dati da ospite',
  'upgrade.done': 'I tuoi dati non sono cambiati. D’ora in poi accedi con {who}.',
  'upgrade.done-linked': 'I tuoi dati non sono cambiati. Ora puoi accedere di nuovo in qualsiasi momento.',
  'upgrade.member': 'Hai effettuato l’accesso come {who}. Non è un account ospite, quindi non devi salvarlo.',
  'upgrade.change': 'Usa un altro indirizzo',
  'page.upgrade-member': 'Il tuo account è già salvato',
  'page.upgrade-done': 'Account salvato',

  'page.hand-over': 'Spostare i tuoi dati da ospite?',
  'hand-over.text':
    'Hai effettuato l’accesso come {who}. Se sposti i dati da ospite in questo account, l’account ospite verrà eliminato.',
  'hand-over.submit': 'Sposta i dati da ospite',
  'hand-over.leave': 'Scarta i dati da ospite',
  'hand-over.leave-hint': 'Se scarti i dati da ospite, non potrai più accedervi.',
  'hand-over.back': 'Torna all’account ospite',
  'hand-over.fresh': 'Accedi di nuovo',
  'hand-over.sign-in': 'Accedi all’account in cui vuoi spostare i tuoi dati da ospite.',
  'page.hand-over-done': 'Dati da ospite spostati',
  'hand-over.done': 'I tuoi dati da ospite ora appartengono a {who}.',

  'still-in.text':
    'L’app ti ha fatto uscire. In questo browser l’accesso al tuo account come {who} è ancora attivo.',
  'still-in.guest':
    'L’app ti ha fatto uscire. In questo browser l’accesso come ospite è ancora attivo. Se esci qui, non potrai più usare l’account ospite.',
  'still-in.submit': 'Esci dal tuo account',
  'still-in.others': 'L’accesso è attivo anche come {accounts}.',
  'signed-out.all-accounts': 'Esci da tutti gli account',
  'signed-out.kept':
    'La pagina di accesso in questo browser mostra ancora {accounts}. Su un computer condiviso, rimuovi qui il tuo indirizzo.',
  'signed-out.forget': 'Rimuovi da questo browser',
  'signed-out.forgotten': 'Rimosso da questo browser.',
  'signed-out.choose': 'Scegli un account',
  'still-in.back': 'Torna a {host}',
};
