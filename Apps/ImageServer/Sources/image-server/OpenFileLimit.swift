import Foundation

/// The limit of open files, of which each connection is one.
enum OpenFileLimit {
    /// Raises the limit as far as the system allows without privileges.
    ///
    /// - Returns: The limit, or nil if the system doesn't tell.
    static func raise() -> Int? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: unsafe setrlimit(resource, &limit) == 0 ? limit.rlim_cur : soft)
    }
}
