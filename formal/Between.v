(** What is proved before the result: what words always equal, and the numbers between the operands
    and the result.

    Once words are proved to be such a number, they count like an operand's: what made them is not
    asked again. What rows make of them is at most what the number allows. A number that no words
    hold is the polynomial that defines it. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Expression Replay.
Import ListNotations.
Open Scope Z_scope.

(** That a word equals a polynomial: their difference is at most 0, and at least. Or that the top k
    bits of a word x do, cut = (x, k): x less 2^(64 - k) times the polynomial is below 2^(64 - k),
    and not negative. *)
Record equality := Equality {
  equal_word : variable;
  equal_value : polynomial;
  cut : option (variable * Z);
  no_more : bounding;
  no_less : bounding
}.

Inductive proposal :=
  | Words (first : list equality) (ws : list variable) (less_than : Z) (cases : list case)
  | Written.

(** ** What a number's range says of its words *)

Definition narrow (h : Z) (x : variable) (s : system) : system :=
  match high s x with
  | Some old => System (next s) (Map.add x (Z.min h old) (highs s)) (rows s) (next_row s)
                       (tops s) (masks s)
  | None => s
  end.

Fixpoint narrow_limbs (h : Z) (ws : list variable) (s : system) : system :=
  match ws with
  | [] => s
  | x :: ws' => narrow_limbs (h / radix) ws' (narrow h x s)
  end.

Fixpoint narrow_tops (l : list (variable * Z * variable)) (s : system) : system :=
  match l with
  | [] => s
  | (x, k, t) :: l' =>
      narrow_tops l' (match high s x with
                      | Some h => narrow (h / 2 ^ (64 - k)) t s
                      | None => s
                      end)
  end.

(** Narrows a variable x that stands in a row as c*x, unless it is one of those narrowed before.

    The row is 0, so |c|*x is at most the largest value of its other terms. *)
Definition narrow_by (r : polynomial) (known : system * Map.t unit) (term : Z * monomial)
    : system * Map.t unit :=
  let (s, narrowed) := known in
  match term with
  | (c, [x]) =>
      if (c =? 0) || Map.mem x narrowed then known else
      match most s (scale (- Z.sgn c) r ++ [(Z.abs c, [x])]), high s x with
      | Some u, Some h =>
          if u / Z.abs c <? h then (narrow (u / Z.abs c) x s, Map.add x tt narrowed) else known
      | _, _ => known
      end
  | _ => known
  end.

Definition speaks_of_any (narrowed : Map.t unit) (r : polynomial) : bool :=
  existsb (fun t => existsb (fun x => Map.mem x narrowed) (snd t)) r.

(** What the next row says, if it speaks of what was narrowed. *)
Definition narrow_by_next (known : positive * (system * Map.t unit))
    : positive * (system * Map.t unit) :=
  let '(k, (s, narrowed)) := known in
  (Pos.succ k, match row s k with
               | Some r => if speaks_of_any narrowed r
                           then fold_left (narrow_by r) r (s, narrowed) else (s, narrowed)
               | None => (s, narrowed)
               end).

Definition narrow_by_rows (ws : list variable) (s : system) : system :=
  let of_words := filter (fun '(x, _, _) => existsb (Pos.eqb x) ws) (tops s) in
  let first := fold_right (fun x m => Map.add x tt m) (Map.empty unit) (ws ++ map snd of_words) in
  fst (snd (Pos.iter narrow_by_next (1%positive, (s, first)) (next_row s))).

(** At most h is the number in these words. *)
Definition limit (h : Z) (ws : list variable) (s : system) : system :=
  let s1 := narrow_limbs h ws s in narrow_by_rows ws (narrow_tops (tops s1) s1).

Definition has_range (s : system) (x : variable) : bool :=
  match high s x with Some _ => true | None => false end.

(** Whether a word is known as the top k bits of x. *)
Definition is_top (s : system) (x : variable) (k : Z) (t : variable) : bool :=
  existsb (fun '(y, j, u) => (y =? x)%positive && (j =? k) && (u =? t)%positive) (tops s).

(** Whether the bounds show what an equality says. *)
Definition is_equal (numbers : list number_known) (s : system) (e : equality) : bool :=
  let below (p : polynomial) (size : Z) :=
    at_most s numbers [] p (size - 1) (no_more e) &&
    at_most s numbers [] (scale (-1) p) 0 (no_less e) in
  match cut e with
  | None => below (minus [(1, [equal_word e])] (equal_value e)) 1
  | Some (x, k) =>
      let size := 2 ^ (64 - k) in
      is_top s x k (equal_word e) && below (minus [(1, [x])] (scale size (equal_value e))) size
  end.

(** The system with a row for each equality; each may use those before it. *)
Fixpoint with_equalities (numbers : list number_known) (s : system) (l : list equality)
    : option system :=
  match l with
  | [] => Some s
  | e :: l' =>
      let difference := minus [(1, [equal_word e])] (equal_value e) in
      if is_equal numbers s e
      then with_equalities numbers (add_row difference s) l' else None
  end.

(** The system and the numbers that are known after those between. *)
Fixpoint between_known (modulus factor : Z) (s : system) (numbers : list number_known)
    (l : list expression) (ps : list proposal) : option (system * list number_known) :=
  match l, ps with
  | [], [] => Some (s, numbers)
  | e :: l', p :: ps' =>
      if speaks_of (length numbers) e then
        match p with
        | Words first ws b cases =>
            match with_equalities numbers s first with
            | Some s1 =>
                if forallb (has_range s1) ws &&
                   replay modulus factor b [e] s1 numbers [map Var ws] cases
                then between_known modulus factor (limit (b - 1) ws s1)
                       (numbers ++ [(limbs_polynomial (map Var ws), Some b)]) l' ps'
                else None
            | None => None
            end
        | Written =>
            if factor =? 1
            then between_known modulus factor s
                   (numbers ++ [(normal (as_polynomial numbers e), None)]) l' ps'
            else None
        end
      else None
  | _, _ => None
  end.

(** ** The proof *)

Definition numbers_below (v : valuation) (numbers : list number_known) : Prop :=
  forall q x b, nth_error numbers q = Some (x, Some b) -> 0 <= value v x < b.

Lemma is_top_right v s x k t : holds v s -> is_top s x k t = true -> v t = v x / 2 ^ (64 - k).
Proof.
  unfold is_top. intros H B. apply existsb_exists in B as ([[y j] u] & I & B).
  apply andb_prop in B as [B U]. apply andb_prop in B as [Y J].
  apply Pos.eqb_eq in Y, U. apply Z.eqb_eq in J. subst. exact (tops_right _ _ H _ _ _ I).
Qed.

Lemma is_equal_right v numbers s e : is_equal numbers s e = true -> holds v s ->
  numbers_below v numbers -> value v (minus [(1, [equal_word e])] (equal_value e)) = 0.
Proof.
  unfold is_equal. intros B H N.
  assert (agrees v []) as A by (intros x c []).
  destruct (cut e) as [[x k]|].
  - apply andb_prop in B as [T B]. apply andb_prop in B as [M L].
    apply (at_most_right s numbers v H N _ _ _ _ A) in M, L.
    rewrite value_minus, value_scale in *. cbn [value product] in *.
    apply (is_top_right _ _ _ _ _ H) in T. rewrite T. rewrite value_minus, value_scale in L.
    cbn [value product] in L.
    assert (v x / 2 ^ (64 - k) = value v (equal_value e)) as ->; [|lia].
    symmetry. apply Z.div_unique with (r := v x - 2 ^ (64 - k) * value v (equal_value e)); lia.
  - apply andb_prop in B as [M L].
    apply (at_most_right s numbers v H N _ _ _ _ A) in M, L. rewrite value_scale in L. lia.
Qed.

Lemma with_equalities_right v numbers l : forall s s', with_equalities numbers s l = Some s' ->
  holds v s -> numbers_below v numbers -> holds v s'.
Proof.
  induction l as [|e l IH]; cbn [with_equalities]; intros s s' E H N; [now injection E as <-|].
  destruct (is_equal _ _ _) eqn:B in E; [|discriminate]. apply (is_equal_right v) in B; auto.
  set (difference := minus _ _) in *. clearbody difference. apply (IH _ _ E); [|exact N].
  destruct H as [I Z0 T K]. constructor; auto.
  intros k r' F. unfold row in F; cbn in F. destruct (Pos.eq_dec k (next_row s)) as [->|D].
  - rewrite Map.gss in F. injection F as <-. exact B.
  - rewrite Map.gso in F by exact D. eapply Z0, F.
Qed.

Lemma narrow_right v s h x : holds v s -> v x <= h -> holds v (narrow h x s).
Proof.
  intros H B. unfold narrow. destruct (high s x) as [old|] eqn:O; [|exact H].
  pose proof (in_range _ _ H x old O) as R. destruct H as [I Z0 T M]. constructor; auto.
  intros y u. unfold high; cbn. destruct (Pos.eq_dec y x) as [->|D].
  - rewrite Map.gss. intros [= <-]. lia.
  - rewrite Map.gso by exact D. apply I.
Qed.

Lemma narrow_by_right v r s narrowed term : holds v s -> value v r = 0 ->
  holds v (fst (narrow_by r (s, narrowed) term)).
Proof.
  intros H R. unfold narrow_by. destruct term as [c [|x [|y m]]]; try exact H.
  destruct (Z.eqb_spec c 0) as [|C]; [exact H|]. destruct (Map.mem x narrowed); [exact H|].
  cbn [orb]. destruct (most s _) as [u|] eqn:M; [|exact H].
  destruct (high s x) as [h|]; [|exact H]. destruct (_ <? h); [|exact H]. cbn [fst].
  apply narrow_right; [exact H|]. unfold most in M.
  apply (upper_value _ v _ (in_range _ _ H)) in M.
  rewrite value_normal, value_app, value_scale, R in M. cbn [value product] in M.
  apply Z.div_le_lower_bound; lia.
Qed.

Lemma narrow_by_all_right v r l : value v r = 0 -> forall known, holds v (fst known) ->
  holds v (fst (fold_left (narrow_by r) l known)).
Proof.
  intros R. induction l as [|t l IH]; cbn [fold_left]; intros [s narrowed] H; [exact H|].
  apply IH. now apply narrow_by_right.
Qed.

Lemma narrow_by_rows_right v ws s : holds v s -> holds v (narrow_by_rows ws s).
Proof.
  intros H. unfold narrow_by_rows.
  apply (Pos.iter_invariant _ _ narrow_by_next (fun known => holds v (fst (snd known)))); [|exact H].
  intros [k [s1 narrowed]] H1. cbn [narrow_by_next fst snd] in *.
  destruct (row s1 k) as [r|] eqn:K; [|exact H1].
  destruct (speaks_of_any narrowed r); [|exact H1].
  apply narrow_by_all_right; [exact (rows_zero _ _ H1 k r K) | exact H1].
Qed.

Lemma narrow_tops_right v l : forall s, (forall e, In e l -> In e (tops s)) -> holds v s ->
  holds v (narrow_tops l s).
Proof.
  induction l as [|[[x k] t] l IH]; cbn [narrow_tops]; intros s I H; [exact H|].
  destruct (high s x) as [h|] eqn:X; [|apply IH; auto using in_cons].
  apply IH.
  - intros e E. unfold narrow. destruct (high s t); cbn [tops]; auto using in_cons.
  - apply narrow_right; [exact H|].
    rewrite (tops_right _ _ H x k t (I _ (or_introl eq_refl))).
    pose proof (in_range _ _ H x h X) as B.
    pose proof (Z.pow_nonneg 2 (64 - k) ltac:(lia)) as P.
    destruct (Z.eq_dec (2 ^ (64 - k)) 0) as [->|N]; [now rewrite !Zdiv_0_r|].
    apply Z.div_le_mono; lia.
Qed.

Lemma value_words_nonnegative v s ws : holds v s -> forallb (has_range s) ws = true ->
  0 <= value v (limbs_polynomial (map Var ws)).
Proof.
  intros H. induction ws as [|x ws IH]; cbn [forallb map limbs_polynomial]; intros K; [cbn; lia|].
  apply andb_prop in K as [K0 K]. specialize (IH K). unfold has_range in K0.
  destruct (high s x) as [h|] eqn:X; [|discriminate]. pose proof (in_range _ _ H x h X) as B.
  rewrite value_app, value_scale, value_word. cbn [word_value].
  pose proof (eq_refl : (0 <? radix) = true) as P. apply Z.ltb_lt in P. nia.
Qed.

Lemma narrow_limbs_right v ws : forall h s, holds v s -> forallb (has_range s) ws = true ->
  value v (limbs_polynomial (map Var ws)) <= h -> holds v (narrow_limbs h ws s).
Proof.
  induction ws as [|x ws IH]; cbn [narrow_limbs]; intros h s H K B; [exact H|].
  cbn [forallb map limbs_polynomial] in *. apply andb_prop in K as [K0 K].
  pose proof (value_words_nonnegative v s ws H K) as N.
  rewrite value_app, value_scale, value_word in B. cbn [word_value] in B.
  unfold has_range in K0. destruct (high s x) as [u|] eqn:X; [|discriminate].
  pose proof (in_range _ _ H x u X) as R.
  pose proof (eq_refl : (0 <? radix) = true) as P. apply Z.ltb_lt in P.
  apply IH.
  - apply narrow_right; [exact H | nia].
  - rewrite forallb_forall in *. intros y Y. specialize (K y Y). unfold has_range, narrow in *.
    rewrite X. unfold high at 1. cbn [highs]. destruct (Pos.eq_dec y x) as [->|D].
    + now rewrite Map.gss.
    + rewrite Map.gso by exact D. exact K.
  - apply Z.div_le_lower_bound; [exact P | lia].
Qed.

Lemma limit_right v h ws s : holds v s -> forallb (has_range s) ws = true ->
  value v (limbs_polynomial (map Var ws)) <= h -> holds v (limit h ws s).
Proof.
  intros H K B. unfold limit. apply narrow_by_rows_right, narrow_tops_right; [auto|].
  now apply narrow_limbs_right.
Qed.

(** The numbers as a run has them. *)
Definition number_value (v : valuation) (numbers : list number_known) (q : nat) : Z :=
  value v (polynomial_of numbers q).

Lemma number_value_app v numbers more q : (q < length numbers)%nat ->
  number_value v (numbers ++ more) q = number_value v numbers q.
Proof. intros Q. unfold number_value, polynomial_of. now rewrite app_nth1. Qed.

Lemma numbers_below_one v numbers x b : numbers_below v numbers ->
  (forall u, b = Some u -> 0 <= value v x < u) -> numbers_below v (numbers ++ [(x, b)]).
Proof.
  intros N X q y u. destruct (Nat.lt_ge_cases q (length numbers)) as [L|L].
  - rewrite nth_error_app1 by exact L. apply N.
  - rewrite nth_error_app2 by exact L. destruct (q - length numbers)%nat as [|[|k]]; cbn.
    + intros [= -> ->]. now apply X.
    + discriminate.
    + discriminate.
Qed.

Lemma between_right modulus factor v l : forall ps s numbers s' numbers',
  between_known modulus factor s numbers l ps = Some (s', numbers') ->
  holds v s -> numbers_below v numbers ->
  holds v s' /\ numbers_below v numbers' /\ length numbers' = (length numbers + length l)%nat /\
  (forall q, (q < length numbers)%nat -> number_value v numbers' q = number_value v numbers q) /\
  forall k e, nth_error l k = Some e ->
    (modulus | factor * number_value v numbers' (length numbers + k)%nat
               - denote (number_value v numbers') e).
Proof.
  induction l as [|e l IH]; intros [|p ps] s numbers s' numbers'; cbn [between_known];
    try discriminate; intros B H N.
  - injection B as <- <-. split; [exact H|]. split; [exact N|]. split; [cbn; lia|].
    split; [reflexivity|]. intros [|k] d; discriminate.
  - destruct (speaks_of (length numbers) e) eqn:S; [|discriminate].
    assert (exists s1 one, between_known modulus factor s1 (numbers ++ [one]) l ps
        = Some (s', numbers') /\ holds v s1 /\ numbers_below v (numbers ++ [one]) /\
      (modulus | factor * value v (fst one) - denote (number_value v numbers) e))
      as (s1 & one & B1 & H1 & N1 & D).
    { destruct p as [first ws b cases|].
      - destruct (with_equalities numbers s first) as [s0|] eqn:W0; [|discriminate].
        pose proof (with_equalities_right _ _ _ _ _ W0 H N) as H0.
        destruct (forallb (has_range s0) ws && _) eqn:C; [|discriminate].
        apply andb_prop in C as [K C].
        apply (replay_right modulus factor b [e] s0 numbers [map Var ws] v H0 N cases 0) in C;
          [|cbn; lia].
        destruct C as (ws' & claim & W & E & D & L). cbn in W, E.
        injection W as <-. injection E as <-.
        pose proof (value_words_nonnegative v s0 ws H0 K) as P.
        eexists _, (_, _). split; [exact B|]. split; [apply limit_right; auto; lia|].
        split; [|exact D]. apply numbers_below_one; [exact N|]. intros u [= <-]. lia.
      - destruct (Z.eqb_spec factor 1) as [->|]; [|discriminate].
        eexists _, (_, _). split; [exact B|]. split; [exact H|].
        split; [apply numbers_below_one; [exact N | discriminate]|]. cbn [fst].
        rewrite value_normal, value_as_polynomial.
        replace (1 * _ - _) with 0 by (unfold number_value; ring). apply Z.divide_0_r. }
    destruct (IH ps s1 _ _ _ B1 H1 N1) as (H2 & N2 & L2 & V2 & D2).
    rewrite app_length in *. cbn [length] in *.
    assert (forall q, (q < length numbers)%nat ->
      number_value v numbers' q = number_value v numbers q) as V.
    { intros q Q. rewrite V2 by lia. now apply number_value_app. }
    split; [exact H2|]. split; [exact N2|]. split; [lia|]. split; [exact V|].
    intros [|k] d; cbn [nth_error].
    + intros [= <-]. rewrite Nat.add_0_r, V2 by lia.
      rewrite (denote_ext _ _ _ _ S V). unfold number_value at 1, polynomial_of.
      rewrite app_nth2, Nat.sub_diag by lia. exact D.
    + intros E. specialize (D2 k d E). now replace (length numbers + Datatypes.S k)%nat
        with (length numbers + 1 + k)%nat by lia.
Qed.
