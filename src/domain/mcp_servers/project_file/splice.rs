//! Where in a text of JSON something is, and changing just that.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::Value;

use super::Unchanged;

/// A text that was read: an object.
pub(super) struct File<'a> {
    root: ast::Object<'a>,
}

/// What there is of a server.
pub(super) enum Found {
    /// Its definition is here.
    Server(Range<usize>),
    /// The object that has servers, but not this one.
    Servers(Object),
    /// The outermost object, which has no such key.
    Root(Object),
}

/// An object of the text.
pub(super) struct Object {
    range: Range<usize>,
    /// Its last property.
    last: Option<Range<usize>>,
}

/// Reads a text: JSON alone, since other programs that read the file know no comments.
pub(super) fn read(text: &str) -> Result<File<'_>, Unchanged> {
    // The other parser's words are better, and this one's offsets are needed.
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|error| Unchanged::NoJson(error.to_string()))?;
    let options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    match parsed.map_err(|error| Unchanged::NoJson(error.to_string()))?.value {
        Some(ast::Value::Object(root)) => Ok(File { root }),
        _ => Err(Unchanged::OtherShape),
    }
}

fn range(of: &impl jsonc_parser::common::Ranged) -> Range<usize> {
    of.range().start..of.range().end
}

/// The one property of this name.
fn one<'a, 'b>(
    object: &'b ast::Object<'a>,
    name: &str,
) -> Result<Option<(usize, &'b ast::ObjectProp<'a>)>, Unchanged> {
    let mut all = object.properties.iter().enumerate().filter(|(_, p)| p.name.as_str() == name);
    let first = all.next();
    if all.next().is_some() { Err(Unchanged::Twice(name.to_owned())) } else { Ok(first) }
}

impl Object {
    fn of(object: &ast::Object<'_>) -> Self {
        Self { range: range(object), last: object.properties.last().map(range) }
    }
}

impl File<'_> {
    /// Looks for a server under a key.
    pub fn find(&self, key: &str, name: &str) -> Result<Found, Unchanged> {
        let Some((_, servers)) = one(&self.root, key)? else {
            return Ok(Found::Root(Object::of(&self.root)));
        };
        let ast::Value::Object(servers) = &servers.value else { return Err(Unchanged::OtherShape) };
        Ok(match one(servers, name)? {
            Some((_, server)) => Found::Server(range(&server.value)),
            None => Found::Servers(Object::of(servers)),
        })
    }

    /// The text without a server.
    pub fn remove(&self, text: &str, key: &str, name: &str) -> Option<String> {
        let (_, servers) = one(&self.root, key).ok()??;
        let ast::Value::Object(servers) = &servers.value else { return None };
        remove(text, servers, name)
    }

    /// The text without a key of the outermost object.
    pub fn remove_key(&self, text: &str, key: &str) -> Option<String> {
        remove(text, &self.root, key)
    }
}

fn remove(text: &str, object: &ast::Object<'_>, name: &str) -> Option<String> {
    let (at, property) = one(object, name).ok()??;
    let own = range(property);
    let gone = if object.properties.len() == 1 {
        range(object).start + 1..range(object).end - 1
    } else if let Some(next) = object.properties.get(at + 1) {
        own.start..range(next).start
    } else {
        range(object.properties.get(at.checked_sub(1)?)?).end..own.end
    };
    splice(text, gone, "")
}

/// The text with another one at a place; none if the place is none of it.
pub(super) fn splice(text: &str, at: Range<usize>, with: &str) -> Option<String> {
    Some([text.get(..at.start)?, with, text.get(at.end..)?].concat())
}

/// How a text is written.
pub(super) struct Style {
    pub newline: &'static str,
    /// One step of indentation.
    pub step: String,
    /// Whether a space follows each colon where all is on one line.
    pub is_spaced: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { newline: "\n", step: "  ".to_owned(), is_spaced: true }
    }
}

impl Style {
    pub fn of(text: &str) -> Self {
        let first = text.lines().skip(1).map(leading).find(|space| !space.is_empty());
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            step: first.unwrap_or("  ").to_owned(),
            is_spaced: !text.contains("\":") || text.contains("\": "),
        }
    }

    /// The indentation of the line that a place is on.
    pub fn indent_at(&self, text: &str, at: usize) -> String {
        let before = text.get(..at).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        leading(text.get(line..).unwrap_or_default()).to_owned()
    }

    /// A value on lines of its own, the first of which stands behind something.
    pub fn pretty(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let format = serde_json::ser::PrettyFormatter::with_indent(self.step.as_bytes());
        let mut to = serde_json::Serializer::with_formatter(&mut bytes, format);
        // Writing a value into memory can't fail.
        value.serialize(&mut to).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\n', &format!("{}{indent}", self.newline))
    }

    /// Where and how a new property of an object is written: as the last one, as the others are.
    pub fn property(&self, text: &str, object: &Object, name: &str, value: &Value) -> (Range<usize>, String) {
        let inner = object.range.start + 1..object.range.end - 1;
        let has_lines = text.get(inner.clone()).is_some_and(|t| t.contains('\n'));
        let quoted = Value::from(name).to_string();
        let colon = if self.is_spaced { ": " } else { ":" };
        let outer = self.indent_at(text, object.range.start);
        let own = match &object.last {
            Some(last) if has_lines && self.begins_line(text, last.start) => self.indent_at(text, last.start),
            _ => format!("{outer}{}", self.step),
        };
        let newline = self.newline;
        let lines = |own: &str| format!("{newline}{own}{quoted}: {}", self.pretty(value, own));
        match &object.last {
            Some(last) if has_lines => (last.end..last.end, format!(",{}", lines(&own))),
            Some(last) => {
                let space = if self.is_spaced { " " } else { "" };
                (last.end..last.end, format!(",{space}{quoted}{colon}{}", self.compact(value)))
            }
            None if has_lines || text.contains('\n') => (inner, format!("{}{newline}{outer}", lines(&own))),
            None => (inner, format!("{quoted}{colon}{}", self.compact(value))),
        }
    }

    fn begins_line(&self, text: &str, at: usize) -> bool {
        let before = text.get(..at).unwrap_or_default();
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }

    /// A value on one line.
    fn compact(&self, value: &Value) -> String {
        if !self.is_spaced {
            return value.to_string();
        }
        match value {
            Value::Object(all) => {
                let of =
                    |(k, v): (&String, &Value)| format!("{}: {}", Value::from(k.as_str()), self.compact(v));
                format!("{{{}}}", all.iter().map(of).collect::<Vec<_>>().join(", "))
            }
            Value::Array(all) => {
                format!("[{}]", all.iter().map(|v| self.compact(v)).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// The spaces and tabs that a line begins with.
fn leading(line: &str) -> &str {
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}
