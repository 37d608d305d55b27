(** Code that calls routines: each routine is checked once, and used where it is called. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Expression Processor Contract
  Areas Entry Replay Between Verdict Formula Forms Products Followed Runs Routine Ready Used.
Import ListNotations.
Open Scope Z_scope.

Module Make (F : Followed).
Import F F.P F.K.
Include Used.Make F.

(** What is claimed of a routine, and what proves it. *)
Record routine := Routine {
  entry : Z;
  promise : contract;
  chosen : choices;
  proposed : certificate
}.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  Definition known_routine (r : routine) : option routine_known :=
    let own := skipn (Z.to_nat (entry r)) code in
    _ <- guard (0 <=? entry r);
    seen <- checked_accesses (chosen r) (promise r) own (proposed r);
    Some (RoutineKnown (entry r) (promise r) seen).

  Section Forms.
  Variable al : algebra.

  (** To the return. A call of a routine is used, another one is followed. *)
  Fixpoint follow_calls (fuel : nat) (rs : list routine_known) (callers : list Z)
      (held : list value_known) (m : machine) : option (machine * list value_known) :=
    match fuel with
    | O => None
    | S fuel' =>
        '(h, m1, rest) <- one_step c code callers m;
        match h with
        | Ended => Some (m1, held)
        | Stepped => follow_calls fuel' rs rest held m1
        | Entered =>
            match List.find (fun r => lies r =? pc m1) rs with
            | Some r =>
                '(m2, more) <- use c code al r held m1; follow_calls fuel' rs callers more m2
            | None => follow_calls fuel' rs rest held m1
            end
        end
    end.

  (** The operands' values are numbered from 1 in forms. *)
  Definition operand_form (q : nat) : polynomial := [(1, [Pos.of_succ_nat q])].

  Definition operand_held (l : list (area * Z * content)) (q : nat) : option value_known :=
    i <- nth_error (inputs c) q;
    ws <- words_at l (Operand (pointer i)) (8 * Z.of_nat (before i)) (width i);
    Some (ValueKnown ws (bound i) (is_signed i) (operand_form q)).

  (** Whether the k-th of z's values is its claim. *)
  Definition settles (l : list (area * Z * content)) (held : list value_known)
      (forms : list polynomial) (k : nat) : bool :=
    match
      ws <- words_at l Result (8 * Z.of_nat (limbs c * k)) (limbs c);
      claim <- nth_error (claims c) k;
      f <- form_of al forms claim;
      g <- recognised held ws (below c) false;
      guard (same_modulo al g f)
    with
    | Some _ => true
    | None => false
    end.

  (** Whether a run, with these routines, leaves what is claimed. *)
  Definition settled (rs : list routine_known) (own : list value_known) : bool :=
    match
      '(m, held) <- follow_calls most_steps rs [] own (entered no_choices c);
      forms <- forms_until al (map operand_form (seq 0 (length (inputs c)))) (between c);
      guard (returns c code m && in_order (first al) (products al) &&
             forallb (settles (cells m) held forms) (seq 0 (length (claims c))))
    with
    | Some _ => true
    | None => false
    end.
  End Forms.

  Definition products_of (a : algebra) : table :=
    match gather_all a (map operand_form (seq 0 (length (inputs c)))) [] (between c) with
    | Some l => l
    | None => []
    end.

  (** First with the products of the claims as variables, then with all multiplied out. The numbers
      are such that scale * inverse = 1 modulo p; products are taken as scale times a variable. *)
  Definition check_caller (scale inverse : Z) (routines : list routine) : bool :=
    let a := Algebra (modulus c) scale (Pos.of_succ_nat (length (inputs c))) [] in
    match
      rs <- traverse known_routine routines;
      own <- traverse (operand_held (cells (entered no_choices c))) (seq 0 (length (inputs c)));
      Some (rs, own)
    with
    | Some (rs, own) =>
        plausible c code && (factor c =? 1) && negb (modulus c =? 0) &&
        ((scale * inverse) mod modulus c =? 1) &&
        (settled (with_table a (products_of a)) rs own || settled a rs own)
    | None => false
    end.

  (** ** The proof *)

  Lemma known_routine_right r k : known_routine r = Some k -> routine_right code k.
  Proof.
    unfold known_routine. intros K. destruct (Z.leb_spec 0 (entry r)); [|discriminate K].
    cbn [guard bind] in K.
    destruct (checked_accesses _ _ _) as [seen|] eqn:A; [|discriminate K]. cbn [bind] in K.
    injection K as <-. split; [assumption|]. exact (checked_exactly _ _ _ _ _ A).
  Qed.

  Lemma follow_calls_right al rs : (forall r, In r rs -> routine_right code r) -> prime al <> 0 ->
    forall fuel callers held m m' held',
    follow_calls al fuel rs callers held m = Some (m', held') ->
    exists n, forall start, ready c code start -> forall x v s, products_right al x ->
    simulates c code start v m s ->
    (forall h, In h held -> held_right al (sys m) v x h) ->
    exists s' v' s'', run n s = Some s' /\ advance s' = leave s'' /\
      simulates c code start v' m' s'' /\ forall h, In h held' -> held_right al (sys m') v' x h.
  Proof.
    intros RR NZ.
    induction fuel as [|fuel IH]; cbn [follow_calls]; intros callers held m m' held' F;
      [discriminate F|].
    destruct (one_step c code callers m) as [[[h m1] rest]|] eqn:E; [|discriminate F].
    cbn [bind] in F.
    assert ((h = Ended /\ m1 = m' /\ held = held') \/
      (h <> Ended /\ exists m2 more others n,
        follow_calls al fuel rs others more m2 = Some (m', held') /\
        forall start, ready c code start -> forall x v s, products_right al x ->
        simulates c code start v m1 s -> (forall h, In h held -> held_right al (sys m1) v x h) ->
        exists s2 v2, run n s = Some s2 /\ simulates c code start v2 m2 s2 /\
          forall h, In h more -> held_right al (sys m2) v2 x h))
      as [(-> & -> & ->)|(NE & m2 & more & others & k & FO & ST)].
    { assert (follow_calls al fuel rs rest held m1 = Some (m', held') -> exists m2 more others n,
        follow_calls al fuel rs others more m2 = Some (m', held') /\
        forall start, ready c code start -> forall x v s, products_right al x ->
        simulates c code start v m1 s -> (forall h, In h held -> held_right al (sys m1) v x h) ->
        exists s2 v2, run n s = Some s2 /\ simulates c code start v2 m2 s2 /\
          forall h, In h more -> held_right al (sys m2) v2 x h) as Same.
      { intros FO. exists m1, held, rest, 0%nat. split; [exact FO|].
        intros start R x v s PX S H. exists s, v. rewrite run_none. auto. }
      destruct h; [right; split; [discriminate | now apply Same] | right | left].
      - split; [discriminate|]. destruct (List.find _ rs) as [r|] eqn:FR; [|now apply Same].
        apply find_some in FR as [FR _].
        destruct (use c code al r held m1) as [[m3 more]|] eqn:U; [|discriminate F].
        cbn [bind] in F. destruct (use_right _ _ _ _ _ _ _ _ U (RR r FR) NZ) as (n & K).
        exists m3, more, callers, n. split; [exact F|]. intros start R x v s PX S H.
        destruct (K start R x _ _ PX S H) as (s2 & v2 & RN & S2 & _ & H2). exists s2, v2. auto.
      - injection F as <- <-. auto. }
    - exists 0%nat. intros start R x v s PX S H.
      destruct (one_step_right _ _ _ _ _ _ _ _ _ _ R E S) as (s1 & N & S1 & Q).
      exists s, v, s1. rewrite Q, run_none. auto.
    - destruct (IH _ _ _ _ _ FO) as (n & K). exists (Datatypes.S (k + n)).
      intros start R x v s PX S H.
      assert (stands_for c code start m m1 v (advance s)) as (s1 & v1 & A & S1 & X1).
      { pose proof (one_step_right _ _ _ _ _ _ _ _ _ _ R E S) as O.
        destruct h; [exact O.. | contradiction]. }
      destruct (ST start R x v1 s1 PX S1) as (s2 & v2 & RN & S2 & H2).
      { intros g I. exact (always_extends _ _ _ _ _ X1 (H g I)). }
      destruct (K start R x _ _ PX S2 H2) as (s' & v' & s'' & RN2 & NX & S3 & H3).
      exists s', v', s''. rewrite run_more, A, (run_on _ _ _ _ RN). auto.
  Qed.

  Lemma traverse_in {A B} (f : A -> option B) l r y : traverse f l = Some r -> In y r ->
    exists x, In x l /\ f x = Some y.
  Proof.
    revert r. induction l as [|x l IH]; cbn [traverse]; intros r T I.
    - injection T as <-. destruct I.
    - destruct (f x) as [z|] eqn:E; [|discriminate T]. cbn [bind] in T.
      destruct (traverse f l) as [r'|]; [|discriminate T]. injection T as <-.
      destruct I as [->|I]; [eauto using in_eq|].
      destruct (IH _ eq_refl I) as (u & U & V). eauto using in_cons.
  Qed.

  Lemma settled_right al rs own : settled al rs own = true ->
    (forall r, In r rs -> routine_right code r) ->
    traverse (operand_held (cells (entered no_choices c))) (seq 0 (length (inputs c))) = Some own ->
    plausible c code = true -> factor c = 1 -> modulus c <> 0 -> prime al = modulus c ->
    first al = Pos.of_succ_nat (length (inputs c)) ->
    (exists k, (unit al * k) mod modulus c = 1) ->
    exists seen n, forall start, ready c code start ->
    exists last, run n start = Some last /\ done c code seen start last.
  Proof.
    unfold settled. intros C RR TO P FA NZ PA FI (inverse & UN).
    destruct (follow_calls _ _ _ _ _ _) as [[m held]|] eqn:F; [|discriminate C]. cbn [bind] in C.
    destruct (forms_until _ _ _) as [forms|] eqn:FU; [|discriminate C]. cbn [bind] in C.
    destruct (_ && _) eqn:G in C; [|discriminate C]. clear C.
    apply andb_prop in G as [G ST]. apply andb_prop in G as [RT IO]. rewrite <- PA in NZ, UN.
    destruct (follow_calls_right al rs RR NZ _ _ _ _ _ _ F) as (n & K).
    exists (seen_at_return m), (Datatypes.S n). intros start R.
    destruct (entered_right c code start R P) as (v0 & G0 & F0 & C0 & _).
    pose proof (entered_simulates no_choices _ _ _ _ R G0 F0 C0) as S0.
    set (x0 := fun y => operand_value c start (Nat.pred (Pos.to_nat y))).
    set (x := with_products inverse x0 (first al) (products al)).
    pose proof (products_have_values al inverse x0 IO NZ UN) as PX. fold x in PX.
    assert (forall q, (q < length (inputs c))%nat ->
      value x (operand_form q) = operand_value c start q) as OF.
    { intros q L. unfold operand_form. cbn [value product]. unfold x.
      rewrite with_products_below by (rewrite FI; lia). unfold x0.
      rewrite SuccNat2Pos.pred_id. ring. }
    destruct (K start R x _ _ PX S0) as (s1 & v & s2 & RN & NX & S2 & H).
    { intros h I. destruct (traverse_in _ _ _ _ TO I) as (q & _ & HQ).
      unfold operand_held in HQ.
      destruct (nth_error (inputs c) q) as [i|] eqn:Q; [|discriminate HQ].
      cbn [bind] in HQ. destruct (words_at _ _ _ _) as [ws|] eqn:W; [|discriminate HQ].
      injection HQ as <-. intros u A. cbv zeta. cbn [held_words held_below held_signed held_form].
      rewrite (words_at_length _ _ _ _ _ W).
      pose proof (simulates_agree _ _ _ _ _ _ _ S0 A) as SU.
      rewrite (words_at_right _ _ _ _ u _ _ _ _ _ _ W (cells_right _ _ _ _ _ _ SU)), OF
        by (apply nth_error_Some; congruence).
      split; [apply (values_below _ _ _ R i), (nth_error_In _ _ Q)|].
      unfold operand_value. erewrite nth_error_nth by (apply map_nth_error; exact Q).
      unfold input_value, input_words. rewrite Z.sub_diag. apply Z.divide_0_r. }
    destruct (return_keeps _ _ _ _ _ _ R S2 RT) as (last & RL & ML & _ & KEPT).
    exists last. split; [eapply run_one_more; [exact RN | now rewrite NX]|]. apply KEPT.
    assert (forall k claim, nth_error (claims c) k = Some claim ->
      (prime al | result_value c start last k - denote (form_value x forms) claim) /\
      result_value c start last k < below c) as RES.
    { intros k claim N. assert (k < length (claims c))%nat as L
        by (apply nth_error_Some; congruence).
      rewrite forallb_forall in ST. specialize (ST k ltac:(apply in_seq; lia)).
      unfold settles in ST. destruct (words_at _ _ _ _) as [ws|] eqn:W; [|discriminate ST].
      cbn [bind] in ST. rewrite N in ST. cbn [bind] in ST.
      destruct (form_of _ _ _) as [f|] eqn:FO; [|discriminate ST]. cbn [bind] in ST.
      destruct (recognised _ _ _ _) as [g|] eqn:RG; [|discriminate ST]. cbn [bind] in ST.
      destruct (same_modulo _ _ _) eqn:SM; [|discriminate ST].
      destruct (recognised_right _ _ _ _ _ _ _ _ _ RG H) as [B D].
      unfold read_as in D; cbn [andb] in D.
      rewrite (words_at_right _ _ _ _ v _ _ _ _ _ _ W (cells_right _ _ _ _ _ _ S2)) in B, D.
      unfold result_value. rewrite ML. split; [|exact B].
      eapply divide_sum; [exact D|]. eapply divide_sum; [apply same_modulo_right; eassumption|].
      destruct (form_right _ NZ x _ _ PX (forms_are _ x forms) _ _ FO) as [t T].
      exists (- t). lia. }
    destruct (forms_until_prefix _ _ _ _ FU) as (more & Q & _).
    split; [exists (form_value x forms); split; [|split]|].
    - intros q L. rewrite <- OF by exact L. unfold form_value. rewrite Q, app_nth1
        by now rewrite map_length, seq_length.
      rewrite nth_indep with (d' := operand_form 0) by now rewrite map_length, seq_length.
      now rewrite map_nth, seq_nth.
    - intros k number N. rewrite FA, Z.mul_1_l, <- PA.
      pose proof (form_values _ NZ x _ PX _ _ FU k number N) as D.
      now rewrite map_length, seq_length in D.
    - intros k claim N. rewrite FA, Z.mul_1_l, <- PA. exact (proj1 (RES k claim N)).
    - intros k L. split; [apply limbs_at_nonnegative; rewrite ML; apply (bytes _ _ _ _ _ _ S2)|].
      destruct (nth_error (claims c) k) as [claim|] eqn:N.
      + exact (proj2 (RES k claim N)).
      + apply nth_error_None in N. lia.
  Qed.

  Theorem caller_checked scale inverse routines : check_caller scale inverse routines = true ->
    exists seen n, forall start, ready c code start ->
    exists last, run n start = Some last /\ done c code seen start last.
  Proof.
    unfold check_caller. intros C.
    destruct (traverse known_routine routines) as [rs|] eqn:TR; [|discriminate C]. cbn [bind] in C.
    destruct (traverse (operand_held _) _) as [own|] eqn:TO; [|discriminate C]. cbn [bind] in C.
    apply andb_prop in C as [C ST]. apply andb_prop in C as [C UN]. apply andb_prop in C as [C NZ].
    apply andb_prop in C as [P FA]. apply Z.eqb_eq in FA, UN. apply negb_true_iff, Z.eqb_neq in NZ.
    assert (forall r, In r rs -> routine_right code r) as RR.
    { intros r I. destruct (traverse_in _ _ _ _ TR I) as (q & _ & K).
      exact (known_routine_right _ _ K). }
    apply orb_prop in ST as [ST|ST]; eapply settled_right; eauto.
  Qed.
End Kernel.
End Make.
