(** Values modulo p as polynomials in a caller's operands, for code that only calls routines. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Contract Symbolic Sums.
Import ListNotations.
Open Scope Z_scope.

(** More terms than this are not multiplied out: the answer would take too long. *)
Definition most_work : Z := 2 ^ 22.

Definition work (p : polynomial) : Z :=
  fold_right (fun t n => n + 1 + Z.of_nat (length (snd t))) 0 p.

Section Modulo.
  Variable p : Z.

  (** With coefficients below p, and none that is 0. *)
  Definition reduced (f : polynomial) : polynomial :=
    filter (fun t => negb (fst t =? 0)) (map (fun t => (fst t mod p, snd t)) (normal f)).

  Fixpoint form_of (forms : list polynomial) (e : expression) : option polynomial :=
    match e with
    | Value k => nth_error forms k
    | Integer z => Some (reduced (constant z))
    | Plus a b => f <- form_of forms a; g <- form_of forms b; Some (reduced (f ++ g))
    | Minus a b => f <- form_of forms a; g <- form_of forms b; Some (reduced (minus f g))
    | Times a b =>
        f <- form_of forms a;
        g <- form_of forms b;
        _ <- guard (work f * work g <=? most_work);
        Some (reduced (times f g))
    end.

  (** The forms with one more for each number. *)
  Fixpoint forms_until (forms : list polynomial) (l : list expression) : option (list polynomial) :=
    match l with
    | [] => Some forms
    | e :: l' => f <- form_of forms e; forms_until (forms ++ [f]) l'
    end.

  Definition same_modulo (f g : polynomial) : bool :=
    match reduced (minus f g) with [] => true | _ => false end.

  (** ** The proof *)

  Hypothesis positive : p <> 0.

  Lemma divide_sum a b c : (p | a - b) -> (p | b - c) -> (p | a - c).
  Proof. intros [u U] [v V]. exists (u + v). nia. Qed.

  Lemma reduced_right x f : (p | value x f - value x (reduced f)).
  Proof.
    rewrite <- (value_normal x f). unfold reduced. induction (normal f) as [|[k m] l IH].
    - exists 0. reflexivity.
    - cbn [map fst snd filter value]. destruct IH as [u U].
      pose proof (Z.div_mod k p positive) as D.
      destruct (Z.eqb_spec (k mod p) 0) as [Z0|]; cbn [negb value fst snd].
      + exists (u + k / p * product x m). rewrite Z0 in D. nia.
      + exists (u + k / p * product x m). nia.
  Qed.

  Definition forms_right (x : valuation) (values : nat -> Z) (forms : list polynomial) : Prop :=
    forall k f, nth_error forms k = Some f -> (p | values k - value x f).

  Lemma form_right x values forms : forms_right x values forms -> forall e f,
    form_of forms e = Some f -> (p | denote values e - value x f).
  Proof.
    intros R. induction e as [k|z|a IHa b IHb|a IHa b IHb|a IHa b IHb]; cbn [form_of denote];
      intros f F.
    - now apply R.
    - injection F as <-. eapply divide_sum; [|apply reduced_right].
      exists 0. cbn [constant value product]. ring.
    - unbind F. unbind F. injection F as <-. eapply divide_sum; [|apply reduced_right].
      rewrite value_app. specialize (IHa _ eq_refl) as [s S]. specialize (IHb _ eq_refl) as [t T].
      exists (s + t). nia.
    - unbind F. unbind F. injection F as <-. eapply divide_sum; [|apply reduced_right].
      rewrite value_minus. specialize (IHa _ eq_refl) as [s S]. specialize (IHb _ eq_refl) as [t T].
      exists (s - t). nia.
    - unbind F. unbind F. unbind F. injection F as <-. eapply divide_sum; [|apply reduced_right].
      rewrite value_times. specialize (IHa _ eq_refl) as [s S]. specialize (IHb _ eq_refl) as [t T].
      exists (s * denote values b + t * value x p0). nia.
  Qed.

  (** Numbers that are what their expressions say, modulo p, have these forms. *)
  Lemma forms_until_right x values l : forall forms forms',
    forms_until forms l = Some forms' -> forms_right x values forms ->
    (forall k e, nth_error l k = Some e ->
      (p | values (length forms + k)%nat - denote values e)) ->
    forms_right x values forms'.
  Proof.
    induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F R E.
    - now injection F as <-.
    - unbind F. apply (IH _ _ F).
      + intros k f N. destruct (Nat.lt_ge_cases k (length forms)) as [L|L].
        * rewrite nth_error_app1 in N by exact L. now apply R.
        * rewrite nth_error_app2 in N by exact L.
          destruct (k - length forms)%nat as [|[|j]] eqn:J; try discriminate N.
          injection N as <-. eapply divide_sum; [|eapply form_right; eauto].
          specialize (E 0%nat e eq_refl). now replace k with (length forms + 0)%nat by lia.
      + intros k d N. rewrite app_length. cbn [length].
        replace (length forms + 1 + k)%nat with (length forms + Datatypes.S k)%nat by lia.
        now apply E.
  Qed.

  (** The forms themselves, as numbers, are what the expressions say. *)
  Definition form_value (x : valuation) (forms : list polynomial) (k : nat) : Z :=
    value x (nth k forms []).

  Lemma forms_until_prefix l : forall forms forms', forms_until forms l = Some forms' ->
    exists more, forms' = forms ++ more /\ length more = length l.
  Proof.
    induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F.
    - injection F as <-. exists []. now rewrite app_nil_r.
    - unbind F. destruct (IH _ _ F) as (more & -> & L). exists (p0 :: more).
      rewrite <- app_assoc. cbn [app length]. auto.
  Qed.

  Lemma forms_are x forms : forms_right x (form_value x forms) forms.
  Proof.
    intros k f N. unfold form_value. rewrite (nth_error_nth _ _ _ N). exists 0. ring.
  Qed.

  Lemma form_of_more forms more e f : form_of forms e = Some f ->
    form_of (forms ++ more) e = Some f.
  Proof.
    revert f. induction e as [k|z|a IHa b IHb|a IHa b IHb|a IHa b IHb]; cbn [form_of]; intros f F.
    - rewrite nth_error_app1; [exact F|]. apply nth_error_Some. congruence.
    - exact F.
    - unbind F. unbind F. now rewrite (IHa _ eq_refl), (IHb _ eq_refl).
    - unbind F. unbind F. now rewrite (IHa _ eq_refl), (IHb _ eq_refl).
    - unbind F. unbind F. now rewrite (IHa _ eq_refl), (IHb _ eq_refl).
  Qed.

  Lemma form_values x l : forall forms forms', forms_until forms l = Some forms' ->
    forall k e, nth_error l k = Some e ->
    (p | form_value x forms' (length forms + k)%nat - denote (form_value x forms') e).
  Proof.
    induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F k d N.
    - destruct k; discriminate.
    - unbind F. rename p0 into f. destruct k as [|k]; cbn [nth_error] in N.
      + injection N as ->. destruct (forms_until_prefix _ _ _ F) as (more & Q & _).
        assert (form_of forms' d = Some f) as G
          by (rewrite Q, <- app_assoc; now apply form_of_more).
        pose proof (form_right x (form_value x forms') forms' (forms_are x forms') d f G) as D.
        replace (form_value x forms' (length forms + 0)) with (value x f).
        * destruct D as [u U]. exists (- u). lia.
        * unfold form_value. rewrite Q, <- app_assoc, app_nth2, Nat.add_0_r, Nat.sub_diag by lia.
          reflexivity.
      + specialize (IH _ _ F k d N). rewrite app_length in IH. cbn [length] in IH.
        now replace (length forms + Datatypes.S k)%nat with (length forms + 1 + k)%nat by lia.
  Qed.

  Lemma same_right x f g : same_modulo f g = true -> (p | value x f - value x g).
  Proof.
    unfold same_modulo. destruct (reduced _) eqn:E; [|discriminate]. intros _.
    pose proof (reduced_right x (minus f g)) as D. rewrite E, value_minus in D.
    cbn [value] in D. now rewrite Z.sub_0_r in D.
  Qed.
End Modulo.
