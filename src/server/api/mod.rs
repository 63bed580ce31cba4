//! The routes, a resource a file.

mod acting;
mod lists;
mod page;
mod repositories;
mod sessions;
mod shapes;
mod view;
mod workers;
mod worktrees;

use super::route::Route;

pub(super) use view::session as view_session;

/// All routes.
pub(super) fn routes() -> impl Iterator<Item = &'static Route> {
    [
        sessions::ROUTES,
        acting::ROUTES,
        workers::ROUTES,
        repositories::ROUTES,
        worktrees::ROUTES,
        lists::ROUTES,
        page::ROUTES,
    ]
    .into_iter()
    .flatten()
}
