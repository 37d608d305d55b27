(** Polynomials with integer coefficients in numbered variables, and a normal form.

    The normal form only has to be right, not canonical: the checker computes it and looks whether
    the coefficients vanish. So each lemma here says that a value is kept. *)

From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Definition variable := positive.
Definition monomial := list variable.
Definition polynomial := list (Z * monomial).
Definition valuation := variable -> Z.

Fixpoint product (v : valuation) (m : monomial) : Z :=
  match m with [] => 1 | x :: m' => v x * product v m' end.

Fixpoint value (v : valuation) (p : polynomial) : Z :=
  match p with [] => 0 | (c, m) :: p' => c * product v m + value v p' end.

Definition constant (c : Z) : polynomial := [(c, [])].
Definition scale (k : Z) (p : polynomial) : polynomial := map (fun t => (k * fst t, snd t)) p.
Definition minus (p q : polynomial) : polynomial := p ++ scale (-1) q.
Definition times_term (c : Z) (m : monomial) (q : polynomial) : polynomial :=
  map (fun t => (c * fst t, m ++ snd t)) q.
Definition times (p q : polynomial) : polynomial :=
  flat_map (fun t => times_term (fst t) (snd t) q) p.

Lemma value_app v p q : value v (p ++ q) = value v p + value v q.
Proof. induction p as [|[c m] p IH]; cbn [app value]; lia. Qed.

Lemma value_scale v k p : value v (scale k p) = k * value v p.
Proof.
  induction p as [|[c m] p IH]; cbn [scale map value fst snd]; [lia|].
  unfold scale in IH; rewrite IH; ring.
Qed.

Lemma value_minus v p q : value v (minus p q) = value v p - value v q.
Proof. unfold minus; rewrite value_app, value_scale; ring. Qed.

Lemma product_app v m n : product v (m ++ n) = product v m * product v n.
Proof. induction m as [|x m IH]; cbn [app product]; [ring | rewrite IH; ring]. Qed.

Lemma value_times_term v c m q : value v (times_term c m q) = c * product v m * value v q.
Proof.
  induction q as [|[d n] q IH]; cbn [times_term map value fst snd]; [ring|].
  unfold times_term in IH; rewrite IH, product_app; ring.
Qed.

Lemma value_times v p q : value v (times p q) = value v p * value v q.
Proof.
  induction p as [|[c m] p IH]; cbn [times flat_map value fst snd]; [ring|].
  unfold times in IH; rewrite value_app, value_times_term, IH; ring.
Qed.

(** ** The normal form: monomials sorted, equal monomials put together. *)

Fixpoint insert (x : variable) (m : monomial) : monomial :=
  match m with
  | [] => [x]
  | y :: m' => if Pos.leb x y then x :: m else y :: insert x m'
  end.

Definition sorted (m : monomial) : monomial := fold_right insert [] m.

Fixpoint compare (m n : monomial) : comparison :=
  match m, n with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: m', y :: n' => match Pos.compare x y with Eq => compare m' n' | other => other end
  end.

Fixpoint merge (p : polynomial) : polynomial -> polynomial :=
  fix merge_p (q : polynomial) : polynomial :=
    match p, q with
    | [], _ => q
    | _, [] => p
    | (a, m) :: p', (b, n) :: q' =>
        match compare m n with
        | Lt => (a, m) :: merge p' q
        | Gt => (b, n) :: merge_p q'
        | Eq => if a + b =? 0 then merge p' q' else (a + b, m) :: merge p' q'
        end
    end.

Fixpoint merge_pairs (ps : list polynomial) : list polynomial :=
  match ps with
  | p :: q :: rest => merge p q :: merge_pairs rest
  | _ => ps
  end.

(** 2^40 terms would be put together; more would stay apart. *)
Definition normal (p : polynomial) : polynomial :=
  concat (Nat.iter 40 merge_pairs (map (fun t => [(fst t, sorted (snd t))]) p)).

Lemma product_insert v x m : product v (insert x m) = v x * product v m.
Proof.
  induction m as [|y m IH]; cbn [insert product]; [ring|].
  destruct (Pos.leb x y); cbn [product]; [ring | rewrite IH; ring].
Qed.

Lemma product_sorted v m : product v (sorted m) = product v m.
Proof.
  induction m as [|x m IH]; cbn [sorted fold_right product]; [ring|].
  rewrite product_insert. unfold sorted in IH. rewrite IH. ring.
Qed.

Lemma compare_eq m : forall n, compare m n = Eq -> m = n.
Proof.
  induction m as [|x m IH]; intros [|y n]; cbn [compare]; try discriminate; auto.
  destruct (Pos.compare x y) eqn:E; try discriminate.
  apply Pos.compare_eq in E. intros H. f_equal; auto.
Qed.

Lemma value_merge v p : forall q, value v (merge p q) = value v p + value v q.
Proof.
  induction p as [|[a m] p IHp]; [destruct q; reflexivity|].
  induction q as [|[b n] q IHq]; [cbn; lia|].
  cbn [merge value]. destruct (compare m n) eqn:E.
  - apply compare_eq in E; subst n.
    destruct (a + b =? 0) eqn:Z0; cbn [value]; rewrite IHp; [|ring].
    apply Z.eqb_eq in Z0. replace b with (- a) by lia. ring.
  - cbn [value]. rewrite IHp. cbn [value]. ring.
  - cbn [value]. cbn [merge] in IHq. rewrite IHq. cbn [value]. ring.
Qed.

Lemma value_concat_merge_pairs v n : forall ps, (length ps <= n)%nat ->
  value v (concat (merge_pairs ps)) = value v (concat ps).
Proof.
  induction n as [|n IH]; intros [|p [|q ps]] Hn; cbn in Hn; try lia; try reflexivity.
  cbn [merge_pairs concat]. rewrite !value_app, value_merge, IH by lia. ring.
Qed.

Lemma value_normal v p : value v (normal p) = value v p.
Proof.
  unfold normal. generalize 40%nat as k. intros k.
  assert (forall ps, value v (concat (Nat.iter k merge_pairs ps)) = value v (concat ps)) as ->.
  { intros ps. induction k as [|k IH]; cbn [Nat.iter nat_rect]; [reflexivity|].
    change (nat_rect _ ps _ k) with (Nat.iter k merge_pairs ps).
    erewrite value_concat_merge_pairs by reflexivity. exact IH. }
  induction p as [|[c m] p IH]; cbn [map concat app value fst snd]; [reflexivity|].
  rewrite IH, product_sorted. ring.
Qed.

(** ** A polynomial all of whose coefficients are multiples of a number is one. *)

(** Whether an odd number divides c: by halves of c, or of c less the number. That is several times
    faster than a division. What is left after as many steps as n has bits is 0 or less than 0. *)
Fixpoint halved (modulus : Z) (n : positive) (c : Z) : bool :=
  match c, n with
  | 0, _ => true
  | _, xH => c + modulus =? 0
  | _, xO n' | _, xI n' => halved modulus n' (Z.div2 (if Z.even c then c else c - modulus))
  end.

Definition is_multiple (modulus c : Z) : bool :=
  if Z.odd modulus then halved modulus (Z.to_pos (Z.abs c)) c else c mod modulus =? 0.

Lemma halved_right modulus n : Z.odd modulus = true -> forall c, halved modulus n c = true ->
  (modulus | c).
Proof.
  intros O. assert (forall c, (modulus | Z.div2 (if Z.even c then c else c - modulus)) ->
    (modulus | c)) as Half.
  { intros c [q Q]. pose proof (Z.div2_odd c) as C. pose proof (Z.div2_odd (c - modulus)) as D.
    rewrite Z.odd_sub, O in D. rewrite <- Z.negb_odd in Q.
    destruct (Z.odd c); cbn [negb xorb Z.b2z] in C, D, Q;
      [exists (2 * q + 1) | exists (2 * q)]; nia. }
  induction n as [n IH|n IH|]; intros [|c|c]; cbn [halved]; intros H;
    try (now apply Half, IH); try apply Z.divide_0_r;
    apply Z.eqb_eq in H; exists (-1); lia.
Qed.

Definition vanishes (modulus : Z) (p : polynomial) : bool :=
  forallb (fun t => is_multiple modulus (fst t)) p.

Lemma vanishes_value v modulus p : modulus <> 0 -> vanishes modulus p = true ->
  (modulus | value v p).
Proof.
  intros M. induction p as [|[c m] p IH]; cbn [vanishes forallb value fst]; intros H.
  - apply Z.divide_0_r.
  - apply andb_prop in H as [H1 H2]. apply Z.divide_add_r; [|apply IH, H2].
    apply Z.divide_mul_l. unfold is_multiple in H1. destruct (Z.odd modulus) eqn:O.
    + exact (halved_right _ _ O _ H1).
    + apply Z.mod_divide; [exact M | now apply Z.eqb_eq].
Qed.

(** ** Known values put in. *)

Definition known := list (variable * Z).

Fixpoint lookup (k : known) (x : variable) : option Z :=
  match k with
  | [] => None
  | (y, c) :: k' => if Pos.eqb x y then Some c else lookup k' x
  end.

Fixpoint substitute_in (k : known) (c : Z) (m : monomial) : Z * monomial :=
  match m with
  | [] => (c, [])
  | x :: m' =>
      match lookup k x with
      | Some d => substitute_in k (c * d) m'
      | None => let (c', n) := substitute_in k c m' in (c', x :: n)
      end
  end.

Definition substitute (k : known) (p : polynomial) : polynomial :=
  map (fun t => substitute_in k (fst t) (snd t)) p.

Definition agrees (v : valuation) (k : known) : Prop := forall x c, In (x, c) k -> v x = c.

Lemma lookup_in k x c : lookup k x = Some c -> In (x, c) k.
Proof.
  induction k as [|[y d] k IH]; cbn [lookup]; [discriminate|].
  destruct (Pos.eqb x y) eqn:E.
  - apply Pos.eqb_eq in E. intros [= ->]. left. now subst.
  - intros H. right. auto.
Qed.

Lemma value_substitute v k p : agrees v k -> value v (substitute k p) = value v p.
Proof.
  intros A. induction p as [|[c m] p IH]; cbn [substitute map value fst snd]; [reflexivity|].
  unfold substitute in IH.
  assert (forall d, fst (substitute_in k d m) * product v (snd (substitute_in k d m))
    = d * product v m) as E.
  { clear - A. induction m as [|x m IH]; intros d; cbn [substitute_in product fst snd]; [ring|].
    destruct (lookup k x) as [e|] eqn:L.
    - rewrite IH. rewrite (A x e) by now apply lookup_in. ring.
    - specialize (IH d). destruct (substitute_in k d m) as [d' n]. cbn [fst snd product] in *.
      transitivity (v x * (d' * product v n)); [ring | rewrite IH; ring]. }
  specialize (E c). destruct (substitute_in k c m) as [c' n]. cbn [fst snd] in E.
  cbn [value]. rewrite IH, E. reflexivity.
Qed.

(** ** An upper bound, from the largest values of the variables. *)

Section Upper.
  Variable high : variable -> option Z.

  Fixpoint largest (m : monomial) : option Z :=
    match m with
    | [] => Some 1
    | x :: m' =>
        match high x, largest m' with
        | Some h, Some rest => Some (h * rest)
        | _, _ => None
        end
    end.

  Fixpoint upper (p : polynomial) : option Z :=
    match p with
    | [] => Some 0
    | (c, m) :: p' =>
        match largest m, upper p' with
        | Some h, Some rest =>
            match m with
            | [] => Some (c + rest)
            | _ => Some (Z.max c 0 * h + rest)
            end
        | _, _ => None
        end
    end.

  Definition within (v : valuation) : Prop := forall x h, high x = Some h -> 0 <= v x <= h.

  Lemma largest_product v m : within v -> forall h, largest m = Some h -> 0 <= product v m <= h.
  Proof.
    intros W. induction m as [|x m IH]; cbn [largest product]; intros h.
    - intros [= <-]. lia.
    - destruct (high x) as [hx|] eqn:Hx; [|discriminate].
      destruct (largest m) as [hm|]; [|discriminate]. intros [= <-].
      specialize (W x hx Hx). specialize (IH hm eq_refl). split; [nia|].
      apply Z.mul_le_mono_nonneg; lia.
  Qed.

  Lemma upper_value v p : within v -> forall u, upper p = Some u -> value v p <= u.
  Proof.
    intros W. induction p as [|[c m] p IH]; cbn [upper value]; intros u.
    - intros [= <-]. lia.
    - destruct (largest m) as [h|] eqn:L; [|discriminate].
      destruct (upper p) as [rest|]; [|discriminate].
      specialize (IH rest eq_refl). pose proof (largest_product v m W h L) as B.
      destruct m as [|x m]; intros [= <-]; [cbn [product]; lia|].
      set (t := product v (x :: m)) in *. nia.
  Qed.
End Upper.
