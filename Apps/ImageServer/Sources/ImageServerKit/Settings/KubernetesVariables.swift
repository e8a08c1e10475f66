/// The environment variables that Kubernetes sets for each Service of a namespace, as Docker's links did.
///
/// For a Service named `image-server`, those begin like the variables of the settings. So do those of a Service such as
/// `image-server-cache`.
enum KubernetesVariables {
    /// Returns the variables of an environment without those of Services.
    static func removed(from environment: [String: String]) -> [String: String] {
        environment.filter { name, value in
            guard name.hasPrefix(SettingsReader.variablePrefix) else { return true }
            return !isOfService(name)
                && !(name.hasSuffix("_PORT") && value.prefixMatch(of: /(tcp|udp|sctp):\/\//) != nil)
        }
    }

    private static func isOfService(_ name: String) -> Bool {
        let service = /IMAGE_SERVER(_\w+)?_SERVICE_(HOST|PORT(_\w+)?)/
        let port = /IMAGE_SERVER(_\w+)?_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?/
        return name.wholeMatch(of: service) != nil || name.wholeMatch(of: port) != nil
    }
}
