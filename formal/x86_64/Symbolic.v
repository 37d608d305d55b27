(** The processor of [Machine.v] on symbolic words: what the checker computes.

    A register holds a word (a constant or a variable of the system), or an address: an area and an
    offset. Refused, with None: addresses that depend on data, flags that are undefined, memory that
    is not the kernel's, and calculation with addresses. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes Options Polynomial System Arithmetic Bits Expression Verdict
  Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel.
Import ListNotations.
Open Scope Z_scope.

Record machine := Symbolic {
  sys : system;
  file : register -> content;
  cells : list (area * Z * content);   (* memory that may be read: 8 bytes each *)
  cf : option word;
  of : option word;
  pc : Z;                              (* the next instruction's offset in the code *)
  seen : list (area * Z * Z)
}.

Definition with_sys (s : system) (m : machine) : machine :=
  Symbolic s (file m) (cells m) (cf m) (of m) (pc m) (seen m).
Definition with_flags (c o : option word) (m : machine) : machine :=
  Symbolic (sys m) (file m) (cells m) c o (pc m) (seen m).
Definition with_cells (l : list (area * Z * content)) (m : machine) : machine :=
  Symbolic (sys m) (file m) l (cf m) (of m) (pc m) (seen m).
Definition with_register (r : register) (k : content) (m : machine) : machine :=
  Symbolic (sys m) (fun q => if register_beq q r then k else file m q) (cells m) (cf m) (of m)
           (pc m) (seen m).
Definition with_access (a : area) (offset size : Z) (m : machine) : machine :=
  Symbolic (sys m) (file m) (cells m) (cf m) (of m) (pc m) ((a, offset, size) :: seen m).
Definition with_pc (n : Z) (m : machine) : machine :=
  Symbolic (sys m) (file m) (cells m) (cf m) (of m) n (seen m).

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  Definition address_of (m : machine) (a : address) : option (area * Z) :=
    match a with
    | Based r d =>
        match file m r with Pointer b o => Some (b, o + d) | _ => None end
    | Relative d => Some (Code, pc m + d)
    end.

  Definition load_from (a : area) (offset : Z) (m : machine) : option (content * machine) :=
    _ <- guard (is_inside c code a offset 8);
    k <- (if is_area a Code then Some (Known (Const (constant_at code offset)))
          else find a offset (cells m));
    Some (k, with_access a offset 8 m).

  Definition read (o : source) (m : machine) : option (content * machine) :=
    match o with
    | Reg r => Some (file m r, m)
    | Imm z => Some (Known (Const (z mod radix)), m)
    | Mem a => '(b, offset) <- address_of m a; load_from b offset m
    end.

  Definition store_to (a : area) (offset : Z) (k : content) (m : machine) : option machine :=
    _ <- guard (may_write c code a offset);
    Some (with_access a offset 8
      (with_cells ((a, offset, k) :: filter (survives a offset) (cells m)) m)).

  Definition put (r : register) (k : content) (m : machine) : option machine :=
    _ <- guard (negb (register_beq r RSP));
    Some (with_register r k m).

  Definition put_word (r : register) (w : word) (s : system) (m : machine) : option machine :=
    put r (Known w) (with_sys s m).

  (** Moves the stack pointer, and forgets what an interrupt could overwrite. *)
  Definition move_stack (offset : Z) (m : machine) : option machine :=
    _ <- guard ((- stack c <=? offset) && (offset <=? 0) && (offset mod 8 =? 0));
    let kept (cell : area * Z * content) :=
      let '(a, o, _) := cell in
      negb (is_area a Stack) || (offset - red_zone (calling c) <=? o) in
    Some (with_register RSP (Pointer Stack offset) (with_cells (filter kept (cells m)) m)).

  Definition stack_offset (m : machine) : option Z :=
    match file m RSP with
    | Pointer Stack offset => Some offset
    | _ => None
    end.

  (** Goes on at an offset in the code. *)
  Definition jump (offset : Z) (m : machine) : option machine :=
    _ <- guard (is_inside c code Code offset 1);
    Some (with_pc offset m).

  (** Returns from called code. The call left the address that is on top of the stack. *)
  Definition return_to (caller : Z) (m : machine) : option machine :=
    offset <- stack_offset m;
    '(k, m1) <- load_from Stack offset m;
    _ <- guard (match k with Pointer Code o => o =? caller | _ => false end);
    m2 <- move_stack (offset + 8) m1;
    jump caller m2.

  Definition sum_carry (k : sum_kind) (m : machine) : option word :=
    match k with Add => Some (Const 0) | Adc | Adcx => cf m | Adox => of m end.

  Definition sum_flags (k : sum_kind) (w : word) (m : machine) : machine :=
    match k with
    | Add | Adc => with_flags (Some w) None m
    | Adcx => with_flags (Some w) (of m) m
    | Adox => with_flags (cf m) (Some w) m
    end.

  Definition same_register (d : register) (o : source) : bool :=
    match o with Reg r => register_beq d r | _ => false end.

  Definition stack_immediate (d : register) (o : source) : option Z :=
    match d, o with RSP, Imm z => Some z | _, _ => None end.

  Definition clear : option word := Some (Const 0).

  Definition run_sum (k : sum_kind) (d : register) (o : source) (m : machine) : option machine :=
    '(second, m1) <- read o m;
    a <- as_word (file m d);
    b <- as_word second;
    carry <- sum_carry k m;
    '(w, out, s) <-
      (if same_register d o && word_eqb carry (Const 0) then doubled a (sys m)
       else sum a b carry 1 (sys m));
    put_word d w s (sum_flags k out m1).

  Definition run_sum_to (k : sum_kind) (a : address) (r : register) (m : machine)
      : option machine :=
    '(b, offset) <- address_of m a;
    '(first, m1) <- load_from b offset m;
    x <- as_word first;
    y <- as_word (file m r);
    carry <- sum_carry k m;
    '(w, out, s) <- sum x y carry 1 (sys m);
    store_to b offset (Known w) (with_sys s (sum_flags k out m1)).

  Definition run_difference (k : difference_kind) (d : register) (o : source) (m : machine)
      : option machine :=
    '(second, m1) <- read o m;
    borrow <- (match k with Sub => Some (Const 0) | Sbb => cf m end);
    if same_register d o && match k with Sub => false | Sbb => true end then
      '(w, s) <- mask borrow (sys m);
      put_word d w s (with_flags (Some borrow) None m1)
    else
      a <- as_word (file m d);
      b <- as_word second;
      '(w, out, s) <- sum a b borrow (-1) (sys m);
      put_word d w s (with_flags (Some out) None m1).

  (** The words of which a register's is the [or]. *)
  Definition parts (k : content) : option (list word) :=
    match k with AnyOf l => Some l | _ => w <- as_word k; Some [w] end.

  (** The bits of a byte that is a flag, and the flag. *)
  Definition byte_of (flag : word) : list (Z * word) :=
    (0, flag) :: map (fun k => (k, Const 0)) [1; 2; 3; 4; 5; 6; 7].

  Definition is_zero (l : list (Z * word)) (k : Z) : bool :=
    existsb (fun entry => (fst entry =? k) && word_eqb (snd entry) (Const 0)) l.

  Definition is_at_most (h : Z) (k : content) (s : system) : bool :=
    match k with
    | Known w => match most s (word_polynomial w) with Some u => u <=? h | None => false end
    | _ => false
    end.

  Definition flag_of (k : content) (s : system) : option word :=
    match k with
    | Known w => _ <- guard (is_at_most 1 k s); Some w
    | Flags ((k0, flag) :: l) =>
        _ <- guard ((k0 =? 0) && forallb (is_zero l) [1; 2; 3; 4; 5; 6; 7]);
        Some flag
    | _ => None
    end.

  (** The bits of a byte that is a number. *)
  Definition bits_of (z : Z) : list (Z * word) :=
    map (fun k => (k, Const (z / 2 ^ k mod 2))) [0; 1; 2; 3; 4; 5; 6; 7].

  Definition bit_at (l : list (Z * word)) (k : Z) : option Z :=
    match List.find (fun entry => fst entry =? k) l with
    | Some (_, Const b) => Some b
    | _ => None
    end.

  (** The lowest of 2^k, 2^(k+1) and so on whose bits are numbers, n of them. *)
  Fixpoint number_of (l : list (Z * word)) (k : Z) (n : nat) : option Z :=
    match n with
    | O => Some 0
    | S n' => b <- bit_at l k; rest <- number_of l (k + 1) n'; Some (b + 2 * rest)
    end.

  (** The lowest byte, if it is a number. *)
  Definition byte_number (k : content) : option Z :=
    match k with
    | Known (Const z) => Some (z mod 256)
    | Flags l => number_of l 0 8
    | _ => None
    end.

  (** d becomes the upper word of high * 2^64 + low, shifted left by n bits; k is the count. *)
  Definition run_shift (k : Z) (d : register) (high low : content) (n : Z) (m : machine)
      : option machine :=
    _ <- guard ((0 <? k) && (k <? 64));
    a <- as_word high;
    b <- as_word low;
    '(w, s) <- shifted a b n (sys m);
    put_word d w s (with_flags None None m).

  Definition step (i : instruction) (m : machine) : option machine :=
    match i with
    | Mov d o => '(k, m1) <- read o m; put d k m1
    | Store a r => '(b, offset) <- address_of m a; store_to b offset (file m r) m
    | Lea d a =>
        match a with
        | Based r z =>
            match file m r with
            | Known w =>
                '(v, _, s) <- sum w (Const (Z.abs z mod radix)) (Const 0)
                                  (if z <? 0 then -1 else 1) (sys m);
                put_word d v s m
            | Pointer b o => put d (Pointer b (o + z)) m
            | AnyOf _ | Flags _ => None
            end
        | Relative z => put d (Pointer Code (pc m + z)) m
        end
    | LeaSum d a b =>
        x <- as_word (file m a);
        y <- as_word (file m b);
        if register_beq a b then '(w, s) <- shifted x (Const 0) 1 (sys m); put_word d w s m
        else '(w, _, s) <- sum x y (Const 0) 1 (sys m); put_word d w s m
    | Push r =>
        offset <- stack_offset m;
        m1 <- store_to Stack (offset - 8) (file m r) m;
        move_stack (offset - 8) m1
    | Pop d =>
        offset <- stack_offset m;
        '(k, m1) <- load_from Stack offset m;
        m2 <- move_stack (offset + 8) m1;
        put d k m2
    | Sum k d o =>
        match k, stack_immediate d o with
        | Add, Some z =>
            offset <- stack_offset m; move_stack (offset + z) (with_flags None None m)
        | _, _ => run_sum k d o m
        end
    | SumTo k a r => run_sum_to k a r m
    | Difference k d o =>
        match k, stack_immediate d o with
        | Sub, Some z =>
            offset <- stack_offset m; move_stack (offset - z) (with_flags None None m)
        | _, _ => run_difference k d o m
        end
    | Mul o =>
        '(second, m1) <- read o m;
        a <- as_word (file m RAX);
        b <- as_word second;
        '(l, h, s) <- multiply a b (sys m);
        m2 <- put_word RAX l s (with_flags None None m1);
        put RDX (Known h) m2
    | Mulx high low o =>
        '(second, m1) <- read o m;
        a <- as_word (file m RDX);
        b <- as_word second;
        '(l, h, s) <- multiply a b (sys m);
        m2 <- put_word low l s m1;
        put high (Known h) m2
    | Imul d first second =>
        '(x, m1) <- read first m;
        '(y, m2) <- read second m1;
        a <- as_word x;
        b <- as_word y;
        '(l, _, s) <- multiply a b (sys m);
        put_word d l s (with_flags None None m2)
    | Shld d r k => run_shift k d (file m d) (file m r) k m
    | Shrd d r k => run_shift k d (file m r) (file m d) (64 - k) m
    | Shl d k => run_shift k d (file m d) (Known (Const 0)) k m
    | Shr d k =>
        _ <- guard ((0 <? k) && (k <? 64));
        a <- as_word (file m d);
        '(t, s) <- top a (64 - k) (sys m);
        '(w, s1) <- define_word (word_polynomial t) s;
        put_word d w s1 (with_flags None None m)
    | And d o =>
        '(second, m1) <- read o m;
        a <- as_word (file m d);
        b <- as_word second;
        '(w, s) <- masked a b (sys m);
        put_word d w s (with_flags clear clear m1)
    | Or d o =>
        '(second, m1) <- read o m;
        a <- parts (file m d);
        b <- parts second;
        put d (AnyOf (a ++ b)) (with_flags clear clear m1)
    | Neg d =>
        match file m d with
        | AnyOf l =>
            '(borrow, s) <- any l (Const 0) (sys m);
            put d (Flags []) (with_flags (Some borrow) None (with_sys s m))
        | k =>
            a <- as_word k;
            '(w, out, s) <- sum (Const 0) a (Const 0) (-1) (sys m);
            put_word d w s (with_flags (Some out) None m)
        end
    | Not d =>
        a <- as_word (file m d);
        '(w, s) <- define_word (minus (constant (radix - 1)) (word_polynomial a)) (sys m);
        put_word d w s m
    | Setb d =>
        (* of a number below 256 nothing is left: the flag is a new word, as certificates count *)
        flag <- cf m;
        if is_at_most 255 (file m d) (sys m) then
          '(w, s) <- define_word (word_polynomial flag) (sys m);
          put_word d w s m
        else put d (Flags (byte_of flag)) m
    | MovByte d z =>
        match file m d with
        | Known (Const w) => put d (Known (Const (w / 256 * 256 + z mod 256))) m
        | _ => put d (Flags (bits_of (z mod 256))) m
        end
    | AddByte d z =>
        _ <- guard (z mod 256 =? 255);   (* the carry is whether the byte is not 0 *)
        flag <- flag_of (file m d) (sys m);
        put d (Flags []) (with_flags (Some flag) None m)
    | Bzhi d o index =>
        '(second, m1) <- read o m;
        b <- as_word second;
        k <- byte_number (file m index);
        _ <- guard ((0 <? k) && (k <? 64));
        '(w, s) <- masked (Const (2 ^ k - 1)) b (sys m);
        put_word d w s (with_flags clear clear m1)
    | Xor d r | Xor32 d r =>
        _ <- guard (register_beq d r);
        put d (Known (Const 0)) (with_flags clear clear m)
    | Test _ _ => Some (with_flags clear clear m)
    | Endbr64 => Some m
    | Cmov when_carry d o =>
        '(second, m1) <- read o m;
        flag <- cf m;
        a <- as_word (file m d);
        b <- as_word second;
        '(w, s) <- (if when_carry then choose flag b a (sys m) else choose flag a b (sys m));
        put_word d w s m1
    | Call d =>
        offset <- stack_offset m;
        m1 <- store_to Stack (offset - 8) (Pointer Code (pc m)) m;
        m2 <- move_stack (offset - 8) m1;
        jump (pc m + d) m2
    | Ret => None   (* [return_to], where a call is known *)
    end.
End Kernel.
