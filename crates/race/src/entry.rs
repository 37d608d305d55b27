//! Rows to be: what they compute, for whom, and what they may be compared with.

use crate::chain::{Chain, Element, Runner, called};
use crate::fields::Field;

/// Where the operation's code stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// In the loop: the compiler may keep values in registers from one step to the next.
    Inlined,
    /// As a call, with operands and result in memory.
    Called,
}

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Below the modulus.
    Canonical,
    /// A multiple of the modulus too large: the work is left to whoever compares or encodes it.
    Lazy,
}

impl Call {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inlined => "inlined",
            Self::Called => "called",
        }
    }
}

impl Range {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Lazy => "lazy",
        }
    }
}

/// Our own rows have this name.
pub const OURS: &str = "fieldc";

/// Arkworks on our kernels has this one: ours where the crate itself has no such operation.
pub const PATCHED: &str = "arkworks on fieldc";

/// Whether rows of that name are ours.
pub fn is_ours(name: &str) -> bool {
    name == OURS || name == PATCHED
}

/// Who computes: an implementation, and which of its codes.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its name.
    pub name: &'static str,
    /// Its version; empty for ours.
    pub version: &'static str,
    /// The code that it runs for this field, such as its assembly.
    pub algorithm: &'static str,
}

/// A row to be.
pub struct Entry {
    /// The field.
    pub field: &'static Field,
    /// The operation, by its name in `fieldc bench`.
    pub op: &'static str,
    /// Who computes it.
    pub peer: Peer,
    /// Where the operation's code stands.
    pub call: Call,
    /// What its results are.
    pub range: Range,
    /// What computes it.
    pub runner: Box<dyn Runner>,
}

/// The rows of one peer for one field, as they are listed.
pub struct Rows<'a> {
    entries: &'a mut Vec<Entry>,
    field: &'static Field,
    peer: Peer,
}

impl<'a> Rows<'a> {
    /// An empty list of rows at the end of `entries`.
    pub fn new(entries: &'a mut Vec<Entry>, field: &'static Field, peer: Peer) -> Self {
        Self { entries, field, peer }
    }

    /// The rows that follow are of another code of the same peer.
    pub fn code(&mut self, algorithm: &'static str) -> &mut Self {
        self.peer.algorithm = algorithm;
        self
    }

    /// Adds an operation that the compiler may inline, and the same as a call.
    pub fn inlined<T, F>(&mut self, op: &'static str, range: Range, step: F) -> &mut Self
    where
        T: Element,
        F: Fn(&mut T, &T) + Copy + 'static,
    {
        self.add(op, Call::Inlined, range, Box::new(Chain::new(step)));
        self.add(op, Call::Called, range, Box::new(Chain::new(called(step))))
    }

    /// Adds an operation that is a call in itself.
    pub fn called<T, F>(&mut self, op: &'static str, range: Range, step: F) -> &mut Self
    where
        T: Element,
        F: Fn(&mut T, &T) + 'static,
    {
        self.add(op, Call::Called, range, Box::new(Chain::new(step)))
    }

    /// Adds an operation with a runner of its own.
    pub fn add(
        &mut self,
        op: &'static str,
        call: Call,
        range: Range,
        runner: Box<dyn Runner>,
    ) -> &mut Self {
        self.entries.push(Entry { field: self.field, op, peer: self.peer, call, range, runner });
        self
    }
}

/// The version of a package in a lock file.
pub fn version(lock: &'static str, package: &str, major: &str) -> &'static str {
    let head = format!("name = \"{package}\"\nversion = \"");
    lock.split(&*head)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .find(|version| version.starts_with(major))
        .unwrap_or("unknown")
}
