//! A file of markdown as HTML that can do nothing: raw HTML is shown as text, links lead to web and mail addresses alone, and
//! nothing is loaded. A picture that is a file beside it is named in `data-path`, for the page to ask for; others are words.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

/// The HTML of a file.
pub(super) fn html(source: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    // Whether each link that is open may lead anywhere.
    let mut links = Vec::new();
    let mut pictures = Vec::new();
    let events = Parser::new_ext(source, options).map(move |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => {
            let is_safe = leads_out(&dest_url);
            links.push(is_safe);
            if is_safe {
                Event::Start(Tag::Link { link_type, dest_url, title: "".into(), id: "".into() })
            } else {
                Event::Text("".into())
            }
        }
        Event::End(TagEnd::Link) if links.pop() == Some(false) => Event::Text("".into()),
        Event::Start(Tag::Image { dest_url, .. }) => {
            let is_beside = is_file(&dest_url);
            pictures.push(is_beside);
            if is_beside {
                Event::Html(CowStr::from(format!("<span data-path=\"{}\">", escaped(&dest_url))))
            } else {
                Event::Text(CowStr::from(format!("[image {dest_url}: ")))
            }
        }
        Event::End(TagEnd::Image) if pictures.pop() == Some(true) => Event::Html("</span>".into()),
        Event::End(TagEnd::Image) => Event::Text("]".into()),
        other => other,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Whether the address of a picture is a path from the file's folder.
fn is_file(address: &str) -> bool {
    !address.is_empty() && !address.contains([':', '\\', '?', '#']) && !address.starts_with('/')
}

/// Whether an address is one of the web or of mail.
fn leads_out(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    ["http://", "https://", "mailto:"].iter().any(|start| address.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::html;
    use proptest::prelude::*;

    #[test]
    fn nothing_runs_and_nothing_is_loaded() {
        let source = "# A\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](JaVaScript:alert(1)) \
                      [z](https://example.org/) ![p](https://example.org/p.png \"t\") <img src=x onerror=y> <https://e.org> \
                      ![a \"b\"](img/p.png)";
        insta::assert_snapshot!(html(source), @r#"
        <h1>A</h1>
        &lt;script&gt;alert(1)&lt;/script&gt;
        <p>x y <a href="https://example.org/">z</a> [image https://example.org/p.png: p] &lt;img src=x onerror=y&gt; <a href="https://e.org">https://e.org</a> <span data-path="img/p.png">a "b"</span></p>
        "#);
    }

    proptest! {
        #[test]
        fn whatever_is_in_it_no_tag_is_made_that_acts(source in "[<>a-z\\[\\](){}\"'`:/ =!\n*_#|&;-]{0,200}") {
            let html = html(&source).to_lowercase();
            for bad in ["<script", "<img", "<iframe", "<svg", "href=\"javascript", "<style", "<form", " onerror="] {
                let is_text = bad == " onerror=" && !html.contains("<img");
                prop_assert!(is_text || !html.contains(bad), "{html}");
            }
        }
    }
}
