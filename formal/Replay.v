(** A certificate's cases, verified: the multipliers are given, and the checker only computes.

    Every claim has one form: [scale * target - sum (multiplier * row) - sum (slope * product)] is a
    polynomial whose coefficients or bounds one can see. The rows are 0, so nothing that a
    certificate says can make a wrong claim pass. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Expression.
Import ListNotations.
Open Scope Z_scope.

Definition combination := list (positive * polynomial).

Record bounding := Bounding {
  bound_scale : Z;
  bound_rows : combination;
  bound_slopes : list (Z * list nat * list variable)   (* factors of operands and variables *)
}.

Inductive fact :=
  | ByBound (x : variable) (c : Z) (b : bounding)
  | Between (x : variable) (c : Z) (least most : bounding)
  | ByResidue (x : variable) (scale : Z) (r : combination).

Inductive case :=
  | Proved (result : nat) (flags : known) (facts : list fact) (unit inverse : Z)
      (identity : combination) (canonical : bounding)   (* unit * inverse = 1 modulo p *)
  | Excluded (others : known) (flag : variable) (c : Z) (b : bounding).

Fixpoint limbs_polynomial (ws : list word) : polynomial :=
  match ws with
  | [] => []
  | w :: ws' => word_polynomial w ++ Polynomial.scale radix (limbs_polynomial ws')
  end.

(** A number as a polynomial in words, and what it is below, where that is known. *)
Notation number_known := (polynomial * option Z)%type.

(** That each result, less than [below], is its claim on the numbers that are known. *)
Section Certificate.
  Variables modulus factor below : Z.
  Variable claims : list expression.
  Variable s : system.
  Variable numbers : list number_known.
  Variable results : list (list word).

  Definition polynomial_of (q : nat) : polynomial := fst (nth q numbers ([], None)).

  Fixpoint as_polynomial (e : expression) : polynomial :=
    match e with
    | Value k => polynomial_of k
    | Integer z => constant z
    | Plus a b => as_polynomial a ++ as_polynomial b
    | Minus a b => minus (as_polynomial a) (as_polynomial b)
    | Times a b => times (as_polynomial a) (as_polynomial b)
    end.

  (** target - sum (multiplier * row), or None if there is no such row. *)
  Fixpoint subtract (target : polynomial) (rows : combination) : option polynomial :=
    match rows with
    | [] => Some target
    | (k, m) :: rows' =>
        match row s k, subtract target rows' with
        | Some r, Some rest => Some (times (Polynomial.scale (-1) m) r ++ rest)
        | _, _ => None
        end
    end.

  Definition rest (k : known) (target : polynomial) (rows : combination) : option polynomial :=
    match subtract target rows with
    | Some r => Some (normal (substitute k r))
    | None => None
    end.

  (** A product of operands and variables, with its largest value. *)
  Fixpoint operands_product (qs : list nat) : option (polynomial * Z) :=
    match qs with
    | [] => Some (constant 1, 1)
    | q :: qs' =>
        match operands_product qs' with
        | Some (p, h) =>
            match nth_error numbers q with
            | Some (x, Some b) => Some (times x p, (b - 1) * h)
            | _ => None
            end
        | None => None
        end
    end.

  Fixpoint slopes_total (slopes : list (Z * list nat * list variable))
      : option (polynomial * Z) :=
    match slopes with
    | [] => Some ([], 0)
    | (k, qs, xs) :: slopes' =>
        match operands_product qs, largest (high s) xs, slopes_total slopes' with
        | Some (p, h), Some g, Some (total, most) =>
            Some (times_term k xs p ++ total, Z.max k 0 * (h * g) + most)
        | _, _, _ => None
        end
    end.

  (** Whether a bound shows target <= limit. *)
  Definition at_most (k : known) (target : polynomial) (limit : Z) (b : bounding) : bool :=
    match slopes_total (bound_slopes b) with
    | None => false
    | Some (total, most) =>
        match rest k (minus (Polynomial.scale (bound_scale b) target) total) (bound_rows b) with
        | None => false
        | Some r =>
            match upper (high s) r with
            | None => false
            | Some u => (0 <? bound_scale b) && (u + most <? bound_scale b * (limit + 1))
            end
        end
    end.

  (** Whether a bound shows that a variable has its least or its largest value. *)
  Definition is_always (k : known) (x : variable) (e : Z) (b : bounding) : bool :=
    match high s x with
    | None => false
    | Some h =>
        if e =? 0 then at_most k [(1, [x])] 0 b
        else (e =? h) && at_most k [(-1, [x])] (- e) b
    end.

  Definition learn (k : known) (f : fact) : option known :=
    match f with
    | ByBound x e b => if is_always k x e b then Some ((x, e) :: k) else None
    | Between x e least most =>
        if at_most k [(-1, [x])] (- e) least && at_most k [(1, [x])] e most
        then Some ((x, e) :: k) else None
    | ByResidue x c r =>
        match high s x, rest k [(c, [x])] r with
        | Some h, Some p =>
            if (h <? radix) && (0 <? c) && vanishes (c * radix) p
            then Some ((x, 0) :: k) else None
        | _, _ => None
        end
    end.

  Fixpoint learn_all (k : known) (fs : list fact) : option known :=
    match fs with
    | [] => Some k
    | f :: fs' => match learn k f with Some k' => learn_all k' fs' | None => None end
    end.

  Definition case_right (e : case) : bool :=
    match e with
    | Excluded others flag v b =>
        ((v =? 0) || (v =? 1)) && is_always others flag (1 - v) b
    | Proved q flags facts unit inverse identity canonical =>
        match learn_all flags facts, nth_error results q, nth_error claims q with
        | Some k, Some ws, Some claim =>
            let z := limbs_polynomial ws in
            let target := minus (Polynomial.scale factor z) (as_polynomial claim) in
            match rest k (Polynomial.scale unit target) identity with
            | Some p => ((unit * inverse) mod modulus =? 1) &&
                vanishes modulus p && at_most k z (below - 1) canonical
            | None => false
            end
        | _, _, _ => false
        end
    end.

  (** ** All cases together cover all values of the flags. *)

  Definition case_flags (e : case) : known :=
    match e with
    | Excluded others flag v _ => (flag, v) :: others
    | Proved _ flags _ _ _ _ _ => flags
    end.

  Definition is_of (q : nat) (e : case) : bool :=
    match e with Excluded _ _ _ _ => true | Proved r _ _ _ _ _ _ => Nat.eqb r q end.

  Definition implied (assumed wanted : known) : bool :=
    forallb (fun f => match lookup assumed (fst f) with
                      | Some v => v =? snd f
                      | None => false
                      end) wanted.

  Fixpoint covered (cases : list case) (flags : list variable) (assumed : known) : bool :=
    match flags with
    | [] => existsb (fun e => implied assumed (case_flags e)) cases
    | f :: flags' =>
        (match high s f with Some h => h <=? 1 | None => false end) &&
        covered cases flags' ((f, 0) :: assumed) && covered cases flags' ((f, 1) :: assumed)
    end.

  Definition result_covered (cases : list case) (q : nat) : bool :=
    let mine := filter (is_of q) cases in
    let flags := nodup Pos.eq_dec (map fst (flat_map case_flags mine)) in
    Nat.leb (length flags) 16 && covered mine flags [].

  Definition replay (cases : list case) : bool :=
    negb (modulus =? 0) && forallb case_right cases &&
    forallb (result_covered cases) (seq 0 (length claims)).

  (** ** That is enough *)

  Variable v : valuation.
  Hypothesis H : holds v s.
  Hypothesis numbers_below : forall q x b, nth_error numbers q = Some (x, Some b) ->
    0 <= value v x < b.

  Lemma value_subtract t rows : forall r, subtract t rows = Some r -> value v r = value v t.
  Proof.
    induction rows as [|[k m] rows IH]; cbn [subtract]; intros r.
    - now intros [= ->].
    - destruct (row s k) as [p|] eqn:P; [|discriminate].
      destruct (subtract t rows) as [q|]; [|discriminate]. intros [= <-].
      rewrite value_app, value_times, (rows_zero _ _ H k p P), (IH q eq_refl). ring.
  Qed.

  Lemma value_rest k t rows r : agrees v k -> rest k t rows = Some r -> value v r = value v t.
  Proof.
    intros A. unfold rest. destruct (subtract t rows) as [q|] eqn:Q; [|discriminate].
    intros [= <-]. rewrite value_normal, value_substitute by exact A.
    eapply value_subtract, Q.
  Qed.

  Lemma operands_product_right qs : forall p h, operands_product qs = Some (p, h) ->
    0 <= value v p <= h.
  Proof.
    induction qs as [|q qs IH]; cbn [operands_product]; intros p h.
    - intros [= <- <-]. cbn. lia.
    - destruct (operands_product qs) as [[p' h']|]; [|discriminate].
      destruct (nth_error numbers q) as [[x [b|]]|] eqn:N; try discriminate.
      intros [= <- <-]. rewrite value_times.
      specialize (IH p' h' eq_refl). specialize (numbers_below q x b N). split; [nia|].
      apply Z.mul_le_mono_nonneg; lia.
  Qed.

  Lemma slopes_total_right l : forall p m, slopes_total l = Some (p, m) -> value v p <= m.
  Proof.
    induction l as [|[[k qs] xs] l IH]; cbn [slopes_total]; intros p m.
    - intros [= <- <-]. cbn. lia.
    - destruct (operands_product qs) as [[q h]|] eqn:Q; [|discriminate].
      destruct (largest (high s) xs) as [g|] eqn:G; [|discriminate].
      destruct (slopes_total l) as [[t most']|]; [|discriminate]. intros [= <- <-].
      specialize (IH t most' eq_refl). apply operands_product_right in Q.
      pose proof (largest_product _ _ _ (in_range _ _ H) g G) as B.
      rewrite value_app, value_times_term.
      set (a := product v xs) in *. set (b := value v q) in *.
      assert (k * a * b <= Z.max k 0 * (h * g)); [|lia].
      assert (0 <= b * a <= h * g) by (split; [nia | apply Z.mul_le_mono_nonneg; lia]).
      replace (k * a * b) with (k * (b * a)) by ring. nia.
  Qed.

  Lemma at_most_right k t limit b : agrees v k -> at_most k t limit b = true ->
    value v t <= limit.
  Proof.
    intros A. unfold at_most.
    destruct (slopes_total _) as [[total most']|] eqn:T; [|discriminate].
    destruct (rest _ _ _) as [r|] eqn:E; [|discriminate].
    destruct (upper (high s) r) as [u|] eqn:U; [|discriminate].
    intros B. apply andb_prop in B as [B1 B2]. apply Z.ltb_lt in B1, B2.
    apply slopes_total_right in T. apply (value_rest _ _ _ _ A) in E.
    pose proof (upper_value _ _ _ (in_range _ _ H) u U) as L.
    rewrite E, value_minus, value_scale in L. nia.
  Qed.

  Lemma is_always_right k x e b : agrees v k -> is_always k x e b = true -> v x = e.
  Proof.
    intros A. unfold is_always. destruct (high s x) as [h|] eqn:X; [|discriminate].
    pose proof (in_range _ _ H x h X) as B. destruct (Z.eqb_spec e 0) as [->|N]; intros M.
    - apply at_most_right in M; [|exact A]. cbn [value product] in M. lia.
    - apply andb_prop in M as [M1 M2]. apply Z.eqb_eq in M1.
      apply at_most_right in M2; [|exact A]. cbn [value product] in M2. lia.
  Qed.

  Lemma agrees_cons k x e : agrees v k -> v x = e -> agrees v ((x, e) :: k).
  Proof. intros A E y d [[= <- <-]|I]; [exact E | now apply A]. Qed.

  Lemma learn_right k f k' : agrees v k -> learn k f = Some k' -> agrees v k'.
  Proof.
    intros A. destruct f as [x e b|x e least most|x c r]; cbn [learn].
    - destruct (is_always k x e b) eqn:E; [|discriminate]. intros [= <-].
      apply agrees_cons; [exact A | eapply is_always_right; eauto].
    - destruct (_ && _) eqn:E; [|discriminate]. intros [= <-].
      apply andb_prop in E as [E1 E2]. apply (at_most_right _ _ _ _ A) in E1, E2.
      cbn [value product] in E1, E2. apply agrees_cons; [exact A | lia].
    - destruct (high s x) as [h|] eqn:X; [|discriminate].
      destruct (rest k _ r) as [p|] eqn:E; [|discriminate].
      destruct ((h <? radix) && (0 <? c) && vanishes (c * radix) p) eqn:B; [|discriminate].
      intros [= <-]. apply andb_prop in B as [B B2]. apply andb_prop in B as [B1 B0].
      apply Z.ltb_lt in B0, B1.
      apply (vanishes_value v) in B2; [|apply Z.neq_mul_0; split; [lia|discriminate]].
      apply (value_rest _ _ _ _ A) in E.
      rewrite E in B2. cbn [value product] in B2. destruct B2 as [q Q].
      pose proof (in_range _ _ H x h X) as B. apply agrees_cons; [exact A|].
      assert (v x = q * radix) by nia. assert (q = 0) by nia. lia.
  Qed.

  Lemma learn_all_right fs : forall k k', agrees v k -> learn_all k fs = Some k' -> agrees v k'.
  Proof.
    induction fs as [|f fs IH]; cbn [learn_all]; intros k k' A.
    - now intros [= <-].
    - destruct (learn k f) as [k1|] eqn:L; [|discriminate].
      apply IH. eapply learn_right; eauto.
  Qed.

  Lemma value_as_polynomial e :
    value v (as_polynomial e) = denote (fun q => value v (polynomial_of q)) e.
  Proof.
    induction e; cbn [as_polynomial denote].
    - reflexivity.
    - cbn. ring.
    - now rewrite value_app, IHe1, IHe2.
    - now rewrite value_minus, IHe1, IHe2.
    - now rewrite value_times, IHe1, IHe2.
  Qed.

  Definition result_right (q : nat) : Prop := exists ws claim,
    nth_error results q = Some ws /\ nth_error claims q = Some claim /\
    (modulus | factor * value v (limbs_polynomial ws)
                 - denote (fun q => value v (polynomial_of q)) claim) /\
    value v (limbs_polynomial ws) < below.

  Lemma divide_unit p u w t : p <> 0 -> (u * w) mod p = 1 -> (p | u * t) -> (p | t).
  Proof.
    intros N U D. replace t with (w * (u * t) - (u * w - 1) * t) by ring. apply Z.divide_sub_r.
    - now apply Z.divide_mul_r.
    - apply Z.divide_mul_l. exists (u * w / p). pose proof (Z.div_mod (u * w) p N). lia.
  Qed.

  Lemma case_right_right e q : modulus <> 0 -> case_right e = true -> agrees v (case_flags e) ->
    is_of q e = true -> result_right q.
  Proof.
    intros N C A O. destruct e as [r flags facts unit inverse identity canonical|others flag d b];
      cbn [case_right case_flags is_of] in *.
    - apply Nat.eqb_eq in O as ->.
      destruct (learn_all flags facts) as [k|] eqn:L; [|discriminate].
      destruct (nth_error results q) as [ws|] eqn:W; [|discriminate].
      destruct (nth_error claims q) as [claim|] eqn:K; [|discriminate].
      destruct (rest _ _ _) as [p|] eqn:E; [|discriminate].
      apply andb_prop in C as [C C2]. apply andb_prop in C as [C0 C1].
      apply Z.eqb_eq in C0. apply (learn_all_right _ _ _ A) in L.
      apply (vanishes_value v) in C1; [|exact N]. apply (value_rest _ _ _ _ L) in E.
      rewrite E, value_scale in C1. apply (divide_unit _ _ _ _ N C0) in C1.
      rewrite value_minus, value_scale, value_as_polynomial in C1.
      apply (at_most_right _ _ _ _ L) in C2.
      exists ws, claim. repeat split; auto. lia.
    - exfalso. apply andb_prop in C as [C1 C2].
      assert (v flag = d) as F by (apply A; now left).
      apply is_always_right in C2; [|intros x y I; apply A; now right].
      apply orb_prop in C1 as [C1|C1]; apply Z.eqb_eq in C1; lia.
  Qed.

  Lemma implied_right assumed wanted : implied assumed wanted = true -> agrees v assumed ->
    agrees v wanted.
  Proof.
    intros I A x e X. unfold implied in I. rewrite forallb_forall in I.
    specialize (I _ X). cbn [fst snd] in I.
    destruct (lookup assumed x) as [d|] eqn:L; [|discriminate].
    apply lookup_in in L. apply Z.eqb_eq in I. subst d. now apply A.
  Qed.

  Lemma covered_right cases flags : forall assumed, covered cases flags assumed = true ->
    agrees v assumed -> exists e, In e cases /\ agrees v (case_flags e).
  Proof.
    induction flags as [|f flags IH]; cbn [covered]; intros assumed C A.
    - apply existsb_exists in C as (e & I & E). exists e. eauto using implied_right.
    - apply andb_prop in C as [C C1]. apply andb_prop in C as [C C0].
      destruct (high s f) as [h|] eqn:F; [|discriminate]. apply Z.leb_le in C.
      pose proof (in_range _ _ H f h F) as B.
      assert (v f = 0 \/ v f = 1) as [E|E] by lia.
      + eapply IH; [exact C0 | now apply agrees_cons].
      + eapply IH; [exact C1 | now apply agrees_cons].
  Qed.

  Theorem replay_right cases q : replay cases = true -> (q < length claims)%nat ->
    result_right q.
  Proof.
    unfold replay. intros C Q. apply andb_prop in C as [C C2]. apply andb_prop in C as [C0 C1].
    rewrite forallb_forall in C1, C2.
    specialize (C2 q ltac:(apply in_seq; lia)). unfold result_covered in C2.
    apply andb_prop in C2 as [_ C2].
    apply covered_right in C2 as (e & I & A); [|intros x y []].
    apply filter_In in I as [I O].
    eapply case_right_right; eauto. apply Z.eqb_neq. now apply negb_true_iff.
  Qed.
End Certificate.
